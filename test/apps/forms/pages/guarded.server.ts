import type { ActionContext } from 'hydrant'

export function action({ app }: ActionContext<'/guarded'>) {
  app.done({ path: '/guarded' })
}
