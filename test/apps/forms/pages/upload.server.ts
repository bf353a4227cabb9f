import type { ActionContext } from 'hydrant'

export async function action({ app, form }: ActionContext<'/upload'>) {
  const file = form.get('file')
  if (!(file instanceof File)) {
    app.done({ path: '/upload' })
    return 'text'
  }
  app.done({ path: '/upload', text: file.name })
  return `${file.name} ${file.size}`
}
