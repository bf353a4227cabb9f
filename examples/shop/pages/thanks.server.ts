import { type LoadContext, notFound } from 'hydrant'

export function load({ request }: LoadContext<'/thanks'>) {
  return { order: request.session.get('order') ?? notFound() }
}
