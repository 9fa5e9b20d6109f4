/** Tests that must leave no timer and no open file behind, whatever else they say. */

type Property = (name: string, fn: () => Promise<void>) => void;

export const property: Property = (name, fn) =>
  Deno.test({ name, sanitizeOps: true, sanitizeResources: true, fn });

/** @param subject begins the name of each test */
export function propertiesOf(subject: string): Property {
  return (name, fn) => property(`${subject} ${name}`, fn);
}
