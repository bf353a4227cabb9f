import { parse } from '#cjs-module-lexer'

/** The modules around a CommonJS module. */
export interface CommonJsModules {
  /** Returns the source of a module. */
  read(id: string): Promise<string>
  /** Returns the module that a module requires with a specifier; null if it is none of these modules. */
  find(id: string, specifier: string): string | null
}

/**
 * Lists the names that a CommonJS module exports, besides `default`. As in Node.js, the module is not run: names that its
 * code only computes are missing.
 */
export async function listCommonJsNames(id: string, { read, find }: CommonJsModules): Promise<string[]> {
  const names = new Set<string>()
  const ids = new Set([id])
  for (const one of ids) {
    const { exports, reexports } = parseNames(await read(one))
    for (const name of exports) names.add(name)
    for (const specifier of reexports) {
      const target = find(one, specifier)
      if (target !== null) ids.add(target)
    }
  }
  return [...names].filter((name) => name !== 'default' && name !== '__esModule')
}

function parseNames(source: string): ReturnType<typeof parse> {
  try {
    return parse(source)
  } catch {
    // JSON, or a module that has been compiled to another form.
    return { exports: [], reexports: [] }
  }
}
