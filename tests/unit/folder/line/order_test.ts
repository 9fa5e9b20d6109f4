import { assertEquals } from "@std/assert";
import { behindAll, inOrder, nextTicketName, turnOf } from "../../../../lib/folder/line/order.ts";

Deno.test("nextTicketName() comes after all in line (L3, H5)", () => {
  assertEquals(nextTicketName([], "abc"), "0000000001-abc");
  const names = ["0000000009-zzz", "0000000010-aaa", ".0000000099-hidden", "notes.txt"];
  const next = nextTicketName(names, "aaa");
  assertEquals(next, "0000000011-aaa");
  assertEquals(inOrder([next, ...names]), ["0000000009-zzz", "0000000010-aaa", next]);
});

Deno.test("nextTicketName() keeps its form whatever was planted", () => {
  const planted = ["9999999999-x", "99999999999-x", "0000000002-X", "0000000003-", "-1-x"];
  for (const names of [planted, ["9999999998-x"], ["9999999999-x"]]) {
    const next = nextTicketName(names, "abc");
    assertEquals(inOrder([next]), [next]);
    assertEquals(turnOf([...names, next], next) === null, false);
  }
  assertEquals(nextTicketName(["9999999998-x"], "abc"), "9999999999-abc");
  assertEquals(nextTicketName(["9999999999-x"], "abc"), "9999999999-abc", "none comes after it");
});

Deno.test("turnOf() tells the place and who is straight ahead", () => {
  const names = ["0000000003-c", "0000000001-a", ".0000000000-x", "0000000002-b", "junk"];
  assertEquals(turnOf(names, "0000000001-a"), { place: 1, ahead: null });
  assertEquals(turnOf(names, "0000000002-b"), { place: 2, ahead: "0000000001-a" });
  assertEquals(turnOf(names, "0000000003-c"), { place: 3, ahead: "0000000002-b" });
  assertEquals(turnOf(names, "0000000004-d"), null);
  assertEquals(behindAll(names), { place: 4, ahead: "0000000003-c" });
  assertEquals(behindAll(["junk"]), { place: 1, ahead: null });
});

Deno.test("turnOf() lets the random part decide between equal numbers (L3)", () => {
  const names = ["0000000001-b", "0000000001-a"];
  assertEquals(turnOf(names, "0000000001-a")?.place, 1);
  assertEquals(turnOf(names, "0000000001-b")?.place, 2);
});
