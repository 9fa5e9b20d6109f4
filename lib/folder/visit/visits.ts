/** What another process than the holder's asks of the lock, to be loaded in one piece. */

export { checkHold } from "./check.ts";
export { holdAround } from "./check.ts";
export { releaseBySlug } from "./release.ts";
export { renewBySlug } from "./renew.ts";
export { locksBeside, lookAtSlots, lookAtStatus } from "./status.ts";
