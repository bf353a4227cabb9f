import type { LoadContext } from 'hydrant'

/** Fails in the load or in the render, as `part` says. `word` throws an error with its own fingerprint. */
export function load({ request }: LoadContext<'/'>) {
  const { part, word } = request.query as { part?: string; word?: string }
  if (part === 'load') throw new Error('The load throws.')
  if (word !== undefined) throw new Error(`The load cannot find ${word}.`)
  return { part }
}
