import { type LoadContext, notFound, redirect } from 'hydrant'
import { href } from 'hydrant/react'

export function load({ params }: LoadContext<'/p/[id]'>) {
  if (params.id === 'none') notFound()
  if (params.id === 'throw') throw new Error('thrown on purpose')
  if (params.id === 'moved') redirect('/about')
  if (params.id === 'href') redirect(href('/about'))
  return {}
}

export function action() {}
