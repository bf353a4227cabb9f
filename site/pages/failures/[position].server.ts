import { type LoadContext, notFound } from 'hydrant'
import { positions } from '../../content/positions.ts'

export function load({ params, url }: LoadContext<'/failures/[position]'>) {
  const position = positions.find(({ id }) => id === params.position)
  if (!position) notFound()
  return { position, origin: url.origin }
}
