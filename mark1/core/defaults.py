"""Every default that history has an opinion on. Generated from docs/facts.toml: edit that file, not this one."""

RETINA_ROWS = 20  # documented (A/B): photographs of 1960; Wikipedia, Perceptron
RETINA_COLUMNS = 20  # documented (A/B): photographs of 1960; Wikipedia, Perceptron
CELL_SETTLE_US = 30_000  # chosen: not found; assumed, a small part of a cycle
CELL_THRESHOLD_PPM = 500_000  # chosen: not found; the middle of the scale
CELL_NOISE_PPM = 0  # chosen: not found; noise is a fault to be set, not a default
FAN_OUT_LIMIT = 40  # documented (B): Operators' Manual 1960
EXCITATORY = 5  # chosen: not found; by the rule that at least 19 of 20 wirings learn every built-in letter set
INHIBITORY = 5  # chosen: not found; by the rule that 5-50 % of A-units fire for small and large figures: balanced ...
TOPOLOGICAL_REACH = 4  # chosen: not found; a square of 9 x 9 cells, a fifth of the field
ASSOCIATION_UNITS = 512  # documented (B): Wikipedia, Perceptron; Tappert, Pace University 2011; many others
ASSOCIATION_THRESHOLD = 1  # chosen: not found; by the same rule: with 5 + 5 wires, 20 of 20 wirings learned every ...
ASSOCIATION_US = 10_000  # chosen: not found; assumed, the shortest of the three delays
LOW_STOP_UV = -11_000_000  # documented (B): secondary accounts that name a primary
HIGH_STOP_UV = 11_000_000  # documented (B): secondary accounts that name a primary
MOTOR_SPEED_UV_S = 2_200_000  # chosen: not found; full travel of 22 V in 10 s
MOTOR_SPREAD_PPM = 50_000  # chosen: not found; assumed, because real motors are never equal
MOTOR_LAG_US = 20_000  # chosen: not found; assumed, less than a tenth of a run
MOTOR_COAST_US = 60_000  # chosen: not found; assumed, about a quarter of a run
BACKLASH_UV = 110_000  # chosen: not found; assumed, a fifth of a step
RUN_US = 250_000  # chosen: not found; 20 ideal steps lead from the centre to a stop
BETA_TOTAL_US = 4_000_000  # chosen: the paper leaves K open; 4 s are sixteen runs of 250 ms, shared out
RESPONSE_UNITS = 8  # documented (A): photographs of 1960; Operators' Manual 1960, Figure 1
RESPONSE_THRESHOLD_UV = 0  # chosen: not found; the middle of the travel
DEAD_ZONE_UV = 100_000  # chosen: not found; assumed, less than a fifth of a step
RESPONSE_US = 50_000  # chosen: not found; assumed, the longest of the three delays
