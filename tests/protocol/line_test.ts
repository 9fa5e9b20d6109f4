/** Tickets that are left in line by processes that live on. */

import { assertEquals } from "@std/assert";
import { openSite } from "../../lib/folder/open_site.ts";
import { Ticket } from "../../lib/folder/line/ticket.ts";
import { direct } from "./directed.ts";
import { scenario } from "./scenarios.ts";
import { holds, PATHS } from "./scripts.ts";

const ALPHA = { host: "alpha" };

Deno.test("a ticket that a living server could not remove is taken out of the line after a minute (L13)", async () => {
  const does = scenario("a ticket left behind", [
    {
      on: ALPHA,
      name: "server",
      does: async (sys, me) => {
        const ticket = await Ticket.take(openSite(sys, PATHS), me.name, await sys.random.token());
        await ticket.leave();
        me.world.note("left");
        await sys.clock.sleep(600_000);
      },
    },
    { on: ALPHA, name: "b", does: holds({ startsMs: 10, worksMs: 10 }) },
    { on: ALPHA, name: "c", does: holds({ startsMs: 120_000, worksMs: 10 }) },
  ], {
    world: {
      refuse: ({ name }, operation, path) =>
        name === "server" && operation === "removeFile" && path.startsWith(PATHS.queue)
          ? "EIO"
          : null,
    },
  });
  let queue: number | null = null;
  const run = await direct(does, [
    { let: "server", untilNoted: "left" },
    { let: "b", untilNoted: "b served" },
    {
      do: (world) => void (queue = world.tree.find(PATHS.queue, "readdir")?.children.size ?? null),
    },
  ]);
  assertEquals(run.failure, null, [run.failure, ...run.trace].join("\n"));
  assertEquals(queue, 1, "what the server left");
  assertEquals(run.world.tree.find(PATHS.queue, "readdir")?.children.size, 0);
  assertEquals(run.world.processes.map(({ outcome }) => outcome), ["", "served", "served"]);
});
