import type { ActionContext } from 'hydrant'

export function action({ app, url }: ActionContext) {
  app.done({ path: url.pathname })
  return `answer of ${url.pathname}`
}
