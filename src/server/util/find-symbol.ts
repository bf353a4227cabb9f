/** Finds the symbol of a property of an object or its prototypes, such as one that Fastify has no function for. */
export function findSymbol(object: object, description: string): symbol | undefined {
  return chainOf(object)
    .flatMap((holder) => Object.getOwnPropertySymbols(holder))
    .find((symbol) => symbol.description === description)
}

/** Returns an object and its prototypes, without that of all objects. */
export function chainOf(object: object): object[] {
  const parent: object | null = Object.getPrototypeOf(object)
  return parent === null || parent === Object.prototype ? [object] : [object, ...chainOf(parent)]
}
