/** The wording of giving up: who holds, where the next call stands in line, and what to do. */

import { showCount } from "../../words/columns.ts";
import { showDuration } from "../../words/durations.ts";
import type { Circle, GaveUp } from "../../lock/failures.ts";
import type { KeptPlace } from "../../lock/views.ts";
import { showForeign } from "../../words/slugs.ts";
import {
  describeHolder,
  describeSlots,
  isOwn,
  OWN_HOLD,
  type Told,
  wayOut,
} from "./holder_words.ts";
import { PROGRAM } from "./line.ts";

/** In one line without the program's name. */
export function describeGaveUp(failure: GaveUp, { slug, lockFlags, nowMs }: Told): string {
  const tried = failure.timeoutMs === 0 ? "did not get" : `gave up waiting for`;
  const after = failure.timeoutMs === 0 ? "" : ` after ${showDuration(failure.waitedMs)}`;
  const place = failure.place !== null && failure.place > 1
    ? `, and you were number ${failure.place} in line`
    : "";
  if (failure.circle !== null) {
    return `${tried} ${failure.lock}${after}: ${
      circleWords(failure.circle)
    }; to take both, name both in one call, with --name for each`;
  }
  if (failure.unanswered !== null) {
    const call = showForeign(failure.unanswered);
    return `${tried} ${failure.lock}${after}: the share did not answer (${call}); look after the share, then try again`;
  }
  const blind = failure.timeoutMs === 0 && failure.holder?.isWatched
    ? "; a call with --timeout 0 does not watch"
    : "";
  return `${tried} ${failure.lock}${after}: ${
    failure.slots
      ? describeSlots(failure.slots, nowMs)
      : `${describeHolder(failure.holder, nowMs)}${blind}${wayOut(failure.holder)}`
  }${place}${inVain(failure)}; ${
    isOwn(failure.holder, slug)
      ? OWN_HOLD
      : failure.kept !== null
      ? keptWords(failure.kept, slug)
      : `see ${PROGRAM} status${lockFlags}, try again later, or wait longer with --timeout`
  }`;
}

/** `b holds db and waits for cache, which you hold`: nobody in it would ever be served. */
function circleWords(circle: Circle): string {
  const links = circle.map(({ slug, holds, waitsFor }) =>
    `${showForeign(slug)} holds ${holds} and waits for ${waitsFor}`
  );
  return `${links.join("; ")}, which you hold`;
}

function keptWords({ place, of, untilMs }: KeptPlace, slug: string | undefined): string {
  const which = of === 1 ? "" : `, ${ordinal(place)} of ${showCount(of)},`;
  const until = `${new Date(untilMs).toISOString().slice(11, 19)}Z`;
  return `your place${which} is kept until ${until}: call again with --slug ${slug}`;
}

/** `1st`, `2nd`, `11th`. */
export function ordinal(number: number): string {
  const isTeen = number % 100 >= 11 && number % 100 <= 13;
  return showCount(number) + ((isTeen ? undefined : ["th", "st", "nd", "rd"][number % 10]) ?? "th");
}

/** Where it was to be seen at once that `--timeout` would not be enough. */
function inVain({ expectedMs, timeoutMs }: GaveUp): string {
  if (expectedMs === null || timeoutMs === 0 || expectedMs <= timeoutMs) return "";
  return `; by the holds in the log a wait of about ${
    showDuration(expectedMs)
  } was to be expected, and --timeout is ${showDuration(timeoutMs)}`;
}
