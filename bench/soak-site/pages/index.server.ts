import { HttpError, type LoadContext } from 'hydrant'

/** Fails as `fail` says. `word` makes the message unique, so the failure has its own fingerprint. */
export function load({ request }: LoadContext<'/'>) {
  const { fail, word } = request.query as { fail?: string; word?: string }
  if (fail === 'load') throw new Error(`soak: the load throws${word === undefined ? '' : ` at ${word}`}.`)
  if (fail === 'hang') return new Promise<never>(() => {})
  if (fail === 'refuse') throw new HttpError(403, 'Members only.')
  return { fail }
}
