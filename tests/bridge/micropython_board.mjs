// A MicroPython board in Node: npm's wasm build runs the real main.py; lines of JSON go in and out.
// node micropython_board.mjs PACKAGE_FOLDER FIRMWARE_FOLDER SHIM
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [packageFolder, firmware, shim] = process.argv.slice(2);
const { loadMicroPython } = await import(pathToFileURL(`${packageFolder}/micropython.mjs`).href);
const mp = await loadMicroPython({ heapsize: 4 * 1024 * 1024, linebuffer: false });

mp.FS.mkdir("/flash");
mp.FS.mkdir("/flash/mark1_rig");
for (const name of ["main.py", "mark1_rig/__init__.py", "mark1_rig/link.py", "mark1_rig/hand.py", "mark1_rig/motors.py",
  "mark1_rig/loop.py"])
  mp.FS.writeFile(`/flash/${name}`, readFileSync(`${firmware}/${name}`, "utf8"));
mp.runPython(readFileSync(shim, "utf8"));

for await (const line of createInterface({ input: process.stdin })) {
  const { run, call, args } = JSON.parse(line);
  let answer = {};
  try {
    if (run !== undefined) mp.runPython(run);
    else answer.value = mp.globals.get(call)(...args) ?? null;
  } catch (error) {
    answer.error = String(error.message);
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
