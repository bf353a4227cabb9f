// Takes over forms that a page's action answers. It does so when they are sent, and not when the browser navigates: a
// navigation that is cancelled is one that test tools wait for without end.

// An input of a form may have the name of one of its methods, and hides it then.
const { closest, getAttribute } = Element.prototype

/** Method, target and character set of a form that can be answered in place. */
const POSTED = /^post,(_self)?,(utf-8)?$/i

type Send = (url: URL, method: 'POST', formData: FormData, form: HTMLFormElement, enctype: string) => void

export function takeForms(isOurs: (url: URL) => boolean, send: Send) {
  let clicked: MouseEvent | null = null

  function onSubmit(event: SubmitEvent) {
    // Handlers of the site come first. An event that a script has made submits nothing.
    if (event.defaultPrevented || !event.isTrusted) return
    // The browser dispatches this event at nothing else.
    const form = event.target as HTMLFormElement
    const { submitter } = event
    const read = (name: string) => submitter?.getAttribute(`form${name}`) ?? getAttribute.call(form, name) ?? ''
    const target = read('target') || document.querySelector<HTMLBaseElement>('base[target]')?.target
    const enctype = read('enctype').toLowerCase()
    if (!POSTED.test([read('method'), target, read('accept-charset')].join()) || enctype === 'text/plain') return
    if ([form, submitter].some((element) => element && closest.call(element, '[data-hydrant-reload]'))) return
    // As with a link, it opens in another tab or window.
    if (clicked?.ctrlKey || clicked?.metaKey || clicked?.shiftKey) return
    const url = readUrl(read('action'))
    if (!url || !isOurs(url)) return
    const formData = new FormData(form, submitter)
    event.preventDefault()
    send(url, 'POST', formData, form, enctype)
  }

  // Behind all other listeners, whenever they were added: each of them may prevent it.
  function onCapturedSubmit() {
    removeEventListener('submit', onSubmit)
    addEventListener('submit', onSubmit)
  }

  // A form is sent by a click before anything else happens.
  function onCapturedClick(event: MouseEvent) {
    clicked = event
    setTimeout(() => {
      clicked = null
    })
  }

  if (!canReadSubmitter()) return
  addEventListener('submit', onCapturedSubmit, true)
  addEventListener('click', onCapturedClick, true)
}

/** An empty address is that of the document. Null for an address that only the browser can handle: no page has a malformed path. */
function readUrl(action: string): URL | null {
  try {
    const url = new URL(action || location.href, document.baseURI)
    decodeURI(url.pathname)
    return url
  } catch {
    return null
  }
}

/** Older browsers leave the button out; they send forms themselves. */
function canReadSubmitter(): boolean {
  const form = document.createElement('form')
  const button = document.createElement('button')
  button.name = 'name'
  form.append(button)
  return new FormData(form, button).has('name')
}
