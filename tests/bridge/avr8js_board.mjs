// An Uno in avr8js, a simulator that shares nothing with simavr: runs the same .hex, in lockstep with a test.
// node avr8js_board.mjs PACKAGE_FOLDER RIG.HEX; lines of JSON: {data, until, reset} in, {out, pulses} out.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [packageFolder, hexFile] = process.argv.slice(2);
const { AVRIOPort, AVRTimer, AVRUSART, CPU, PinState, avrInstruction, portBConfig, portCConfig, portDConfig, timer0Config,
  timer1Config, timer2Config, usart0Config } = createRequire(import.meta.url)(packageFolder);
const STARTUP = 1040000; // 65 ms, by the fuses

function flash() {
  const bytes = new Uint8Array(32768);
  for (const line of readFileSync(hexFile, "utf8").split("\n")) {
    if (!line.startsWith(":") || line.slice(7, 9) !== "00") continue;
    const size = parseInt(line.slice(1, 3), 16), address = parseInt(line.slice(3, 7), 16);
    for (let at = 0; at < size; at++) bytes[address + at] = parseInt(line.slice(9 + 2 * at, 11 + 2 * at), 16);
  }
  return new Uint16Array(bytes.buffer);
}

let out = [], pulses = [], waiting = [], cpu, usart, started = 0;

function powerOn(at) {
  cpu = new CPU(flash());
  cpu.cycles = at;
  started = at + STARTUP;
  new AVRTimer(cpu, timer0Config);
  new AVRTimer(cpu, timer1Config);
  new AVRTimer(cpu, timer2Config);
  const portB = new AVRIOPort(cpu, portBConfig);
  new AVRIOPort(cpu, portCConfig);
  new AVRIOPort(cpu, portDConfig);
  usart = new AVRUSART(cpu, usart0Config, 16e6);
  usart.onByteTransmit = (byte) => out.push(byte);
  let high = false, since = 0;
  portB.addListener(() => {
    const now = portB.pinState(1) === PinState.High;
    if (now && !high) since = cpu.cycles;
    if (!now && high) pulses.push((cpu.cycles - since) / 16);
    high = now;
  });
  waiting = [];
}

function run(until) {
  if (cpu.cycles < started) { // the crystal starts up: nothing runs, what arrives is lost
    waiting = [];
    cpu.cycles = Math.min(until, started);
  }
  while (cpu.cycles < until) {
    if (waiting.length && !usart.rxBusy && usart.writeByte(waiting[0])) waiting.shift();
    avrInstruction(cpu);
    cpu.tick();
  }
}

powerOn(0);
for await (const line of createInterface({ input: process.stdin })) {
  const { data, until, reset } = JSON.parse(line);
  if (reset) powerOn(cpu.cycles);
  for (const byte of Buffer.from(data, "hex")) waiting.push(byte);
  run(until);
  process.stdout.write(JSON.stringify({ out: Buffer.from(out).toString("hex"), pulses }) + "\n");
  out = [];
  pulses = [];
}
