import type { LoadContext } from 'hydrant'

/** What is to fail: `load`, `render`, or a word that makes a failure of its own. Nothing for none. */
export function load({ request }: LoadContext) {
  const { part, word } = request.query as { part?: string; word?: string }
  if (part === 'load') throw new Error('The load throws.')
  if (word !== undefined) throw new Error(`The load cannot find ${word}.`)
  return { part }
}
