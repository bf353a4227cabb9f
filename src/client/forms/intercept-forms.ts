// Takes over forms of pages with an action. It uses the `submit` event and not the Navigation API: a navigation that
// is canceled makes test tools wait until their timeout, see decision 013.

// An input whose name is the name of one of the form's methods hides that method.
const { closest, getAttribute } = Element.prototype

/** Method, target and character set of a form that the navigator can send. */
const POSTED = /^post,(_self)?,(utf-8)?$/i

/** A form that is being submitted to a page of this site. */
export interface PostedForm {
  url: URL
  formData: FormData
  form: HTMLFormElement
  enctype: string
}

export type FormReader = (event: SubmitEvent) => PostedForm | null

/**
 * Returns the function that reads a form which is being submitted: null for a form that the browser has to submit.
 *
 * @param urlOnScreen Returns the URL of the page in the document. The address bar may already have that of another page.
 */
export function createFormReader(isOurs: (url: URL) => boolean, urlOnScreen: () => string): FormReader {
  let clicked: MouseEvent | null = null

  // A click submits its form in the same task. The timer runs after that.
  function onCapturedClick(event: MouseEvent) {
    clicked = event
    setTimeout(() => {
      clicked = null
    })
  }

  if (!canReadSubmitter()) return () => null
  addEventListener('click', onCapturedClick, true)

  return (event) => {
    // The browser dispatches this event at forms only.
    const form = event.target as HTMLFormElement
    const { submitter } = event
    const read = (name: string) => submitter?.getAttribute(`form${name}`) ?? getAttribute.call(form, name) ?? ''
    const target = read('target') || document.querySelector<HTMLBaseElement>('base[target]')?.target
    const enctype = read('enctype').toLowerCase()
    if (!POSTED.test([read('method'), target, read('accept-charset')].join()) || enctype === 'text/plain') return null
    if ([form, submitter].some((element) => element && closest.call(element, '[data-hydrant-reload]'))) return null
    // The result opens in another tab or window, as with a link.
    if (clicked?.ctrlKey || clicked?.metaKey || clicked?.shiftKey) return null
    const url = readActionUrl(read('action'), urlOnScreen())
    return url && isOurs(url) ? { url, formData: new FormData(form, submitter), form, enctype } : null
  }
}

/** Calls `send` instead of the browser for each form that is submitted to a page of this site. */
export function takeForms(read: FormReader, send: (form: PostedForm) => void) {
  function onSubmit(event: SubmitEvent) {
    // A handler of the site may have prevented the submission. An event that a script dispatched does not submit the
    // form.
    const form = event.defaultPrevented || !event.isTrusted ? null : read(event)
    if (!form) return
    event.preventDefault()
    send(form)
  }

  // Runs `onSubmit` after all other listeners, whenever they were added: each of them may prevent the submission.
  function onCapturedSubmit() {
    removeEventListener('submit', onSubmit)
    addEventListener('submit', onSubmit)
  }

  addEventListener('submit', onCapturedSubmit, true)
}

/** Returns the URL of a form's `action`, or of the page if it is empty; null leaves a malformed one to the browser. */
function readActionUrl(action: string, page: string): URL | null {
  try {
    const { baseURI } = document
    // A `<base>` does not depend on the page.
    const url = new URL(action || page, baseURI === location.href ? page : baseURI)
    decodeURI(url.pathname)
    return url
  } catch {
    return null
  }
}

/** Returns whether `FormData` can contain the button that submits. Older browsers cannot, and send forms themselves. */
function canReadSubmitter(): boolean {
  const form = document.createElement('form')
  const button = document.createElement('button')
  button.name = 'name'
  form.append(button)
  return new FormData(form, button).has('name')
}
