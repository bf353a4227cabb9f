import type { SourceFrame } from '../../errors/failure-record.ts'
import type { Position, ServerMapFields } from './function-names.ts'
import { frameText, type MappedFrame, unplacedName } from './stack-frame.ts'

/** Finds where functions of the site are defined, for values that are thrown without a stack. */
export interface Locator {
  /** Returns where a module of the site defines an export, or null when the build does not say. */
  locateExport(file: string, name: string): SourceFrame | null
  /** Returns where a function is defined. Null for a function outside of the site, or when two have the same text. */
  locateFunction(called: unknown): SourceFrame | null
  /**
   * Returns the frames of React's stack of components, innermost first. Of several components with one name, the one in
   * the file of the component around it is taken, or else the one in the file of the page.
   */
  mapComponents(stack: string, page?: string): MappedFrame[]
}

interface MappedBundleText {
  path: string
  map: { code: string; fields: ServerMapFields }
}

/** @param bundles Returns the bundles that may contain a file of the site or a text, and whose maps can be read. */
export function createLocator(
  bundles: (part: { file: string } | { text: string }) => Iterable<MappedBundleText>,
  mapFrame: (frame: string) => MappedFrame,
): Locator {
  function placeOf(path: string, [line, column]: Position, name: string): SourceFrame | null {
    const { frame } = mapFrame(
      frameText({ file: path, line: line + 1, column: column + 1, function: name, isSite: true }),
    )
    return frame?.isSite ? frame : null
  }

  function locateExport(file: string, name: string): SourceFrame | null {
    for (const { path, map } of bundles({ file })) {
      const position = map.fields.x_hydrant_exports?.[file]?.[name]
      if (position) return placeOf(path, position, name)
    }
    return null
  }

  function locateFunction(called: unknown): SourceFrame | null {
    if (typeof called !== 'function') return null
    const text = Function.prototype.toString.call(called)
    for (const { path, map } of bundles({ text })) {
      const [at, ...others] = beginningsOf(text, map.code)
      if (at === undefined || others.length > 0) continue
      const before = map.code.slice(0, at).split('\n')
      return placeOf(path, [before.length - 1, before.at(-1)?.length ?? 0], called.name)
    }
    return null
  }

  /** Returns the places of all components with this name: several functions may contain one. */
  function componentsNamed(name: string): SourceFrame[] {
    const found: SourceFrame[] = []
    for (const { path, map } of bundles({ text: name })) {
      for (const position of map.fields.x_hydrant_components?.[name] ?? []) {
        const place = placeOf(path, position, name)
        if (place) found.push(place)
      }
    }
    return found
  }

  function mapComponents(stack: string, page?: string): MappedFrame[] {
    const frames = stack.split('\n').filter(Boolean).map(mapFrame)
    // From outside to inside.
    let around = ''
    for (let index = frames.length - 1; index >= 0; index--) {
      const { text = '', frame = null } = frames[index] ?? {}
      const name = unplacedName(text)
      const found = name === undefined ? [] : componentsNamed(name)
      const place =
        onlyOne(found) ??
        onlyOne(found.filter(({ file }) => file === around)) ??
        onlyOne(found.filter(({ file }) => file === page))
      if (place) frames[index] = { text: frameText(place), frame: place }
      const current = place ?? frame
      if (current?.isSite) around = current.file
    }
    return frames
  }

  return { locateExport, locateFunction, mapComponents }
}

function onlyOne<Item>([first, ...others]: readonly Item[]): Item | null {
  return others.length === 0 ? (first ?? null) : null
}

/**
 * Returns where functions with this text begin. The end of an `async` function may have the text of another function.
 */
function beginningsOf(text: string, code: string): number[] {
  const found: number[] = []
  for (let at = code.indexOf(text); at !== -1; at = code.indexOf(text, at + 1)) {
    if (!/\basync $/.test(code.slice(Math.max(0, at - 7), at))) found.push(at)
  }
  return found
}
