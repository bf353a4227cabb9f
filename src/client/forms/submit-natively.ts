/** Submits fields by a form of the browser. `submit()` dispatches no event, so no handler of the site runs again. */
export function sendNatively(action: string, enctype: string, formData: FormData) {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = action
  form.enctype = enctype
  form.addEventListener('formdata', (event) => {
    // `append` accepts files too; the type of its parameter is for one of its two forms.
    for (const [name, value] of formData) event.formData.append(name, value as string)
  })
  document.body.append(form)
  form.submit()
}
