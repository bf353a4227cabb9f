import type { ActionContext } from 'hydrant'

export function action({ form, url }: ActionContext<'/[...path]'>) {
  return `${form.get('text')} ${url.pathname}${url.search}`
}
