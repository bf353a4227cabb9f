import type { ActionContext } from 'hydrant'
import { entriesOf } from '../done.ts'

export async function action({ app, form, request, url }: ActionContext) {
  const type = request.headers['content-type']?.split(';')[0]
  app.done({ path: url.pathname + url.search, method: request.method, entries: await entriesOf(form), type })
  return 'answered'
}
