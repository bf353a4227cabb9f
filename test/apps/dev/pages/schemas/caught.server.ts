import { type LoadContext, notFound, redirect } from 'hydrant'

export async function load({ url }: LoadContext) {
  try {
    if (url.search === '?none') notFound()
    if (url.search === '?passed') redirect('/schemas/plain')
    await Promise.reject(new Error('no user'))
  } catch (error) {
    if (url.search === '?passed') throw error
  }
  return {}
}
