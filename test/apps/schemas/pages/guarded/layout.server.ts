import { HttpError, type LayoutGuardContext } from 'hydrant'

export function guard(context: LayoutGuardContext<'/guarded'>) {
  if (context.request.headers['x-user'] !== 'ada') throw new HttpError(401, 'Sign in')
  const { search } = context as { search?: unknown }
  return { outer: [context.params as Record<string, string>, search] }
}
