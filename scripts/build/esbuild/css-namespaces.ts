/** The namespaces of the modules that stylesheets become: the names of their classes, and their rules. */
export const CSS_NAMESPACES = { classes: 'hydrant-css-module', rules: 'hydrant-css' } as const

/** Returns whether a module, by its id, is a stylesheet. */
export function isStylesheet(id: string): boolean {
  return id.startsWith(`${CSS_NAMESPACES.rules}:`) || (!id.includes(':') && id.endsWith('.css'))
}
