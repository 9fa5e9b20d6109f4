/** The program: builds the real machine, hands it to the command line, and alone ends the process. */

import { cli } from "./lib/cli/cli.ts";
import { denoSys } from "./lib/sys/deno/sys.ts";

// Exiting outright: a pending file lock, which cannot be cancelled, must not keep us.
Deno.exit(await cli(Deno.args, denoSys()));
