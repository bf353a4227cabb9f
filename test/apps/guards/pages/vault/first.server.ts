import type { ActionContext } from 'hydrant'

export function action({ app, form, context }: ActionContext<'/vault/first'>) {
  app.done({ path: `${context.user}: ${form.get('text')}` })
}
