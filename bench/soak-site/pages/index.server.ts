import { HttpError, type LoadContext } from 'hydrant'

/** What is to go wrong: a word makes a failure of its own. Nothing for none. */
export function load({ request }: LoadContext) {
  const { fail, word } = request.query as { fail?: string; word?: string }
  if (fail === 'load') throw new Error(`soak: the load throws${word === undefined ? '' : ` at ${word}`}.`)
  if (fail === 'hang') return new Promise<never>(() => {})
  if (fail === 'refuse') throw new HttpError(403, 'Members only.')
  return { fail }
}
