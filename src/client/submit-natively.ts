/** Lets the browser send fields as a form. No handler of the site sees it a second time. */
export function sendNatively(action: string, enctype: string, formData: FormData) {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = action
  form.enctype = enctype
  form.addEventListener('formdata', (event) => {
    // It takes files as well.
    for (const [name, value] of formData) event.formData.append(name, value as string)
  })
  document.body.append(form)
  form.submit()
}
