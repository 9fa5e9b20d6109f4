/** Time that passes: a storm draws when it strikes, it does not wait for events. */

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
