import type { ThrownKind } from './positions.ts'

/** Returns the value that `/failures/f13/[kind]` throws. Where it can contain text, it contains `SECRET-MARKER`. */
export function makeThrown(kind: ThrownKind): unknown {
  const marker = `SECRET-MARKER f13 ${kind}`
  switch (kind) {
    case 'string':
      return marker
    case 'null':
      return null
    case 'undefined':
      return undefined
    case 'symbol':
      return Symbol(marker)
    case 'object':
      return { digest: 'x', message: marker }
    case 'frozen':
      return Object.freeze(new Error(marker))
    case 'proxy':
      return proxyWhoseTrapsThrow(marker)
    case 'getters':
      return errorWhoseGettersThrow(marker)
    case 'huge':
      return new Error(marker.padEnd(10_000_000, `, ${marker}`))
    case 'cycle':
      return errorInACycle(marker)
    case 'aggregate':
      return new AggregateError([new Error(`${marker}, the first`), new TypeError(`${marker}, the second`)], marker)
  }
}

function proxyWhoseTrapsThrow(marker: string): object {
  const trap = () => {
    throw new Error(marker)
  }
  return new Proxy({}, new Proxy({}, { get: () => trap }))
}

function errorWhoseGettersThrow(marker: string): Error {
  const get = () => {
    throw new Error(marker)
  }
  // Replace the stack first: V8 creates it on the first access, and reads the message for it.
  return Object.defineProperties(new Error(marker), { stack: { get }, name: { get }, message: { get } })
}

function errorInACycle(marker: string): Error {
  const inner = new Error(`${marker}, inner`)
  const outer = new Error(`${marker}, outer`, { cause: inner })
  inner.cause = outer
  return outer
}
