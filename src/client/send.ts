// Sends forms, and what scripts have put together, to the actions of pages.

import type { Tree } from '../shared/app-tree.tsx'
import { fallbackContent } from '../shared/fallback.ts'
import type { SubmitBody } from '../shared/navigation-state.ts'
import type { createActivity } from './activity.ts'
import type { App } from './app.ts'
import { type Answer, ask } from './ask.ts'

interface Ways {
  /** Another number when the visitor has gone to another page. */
  standing(): number
  /** What has been fetched so far is out of date. */
  expire(): void
  arrive(url: URL, tree: Tree): Promise<void>
  follow(url: URL): Promise<void> | undefined | void
}

/**
 * Sends; resolves when the answer stands in the page. `submitter` is the form or its button that sends it, and
 * `sendNatively` lets the browser do it; both are missing for what a script sends.
 */
export function createSender(app: App, begin: ReturnType<typeof createActivity>, ways: Ways) {
  const sending = new Set<string>()

  return async (
    to: string | URL,
    method: string,
    content: SubmitBody,
    submitter?: HTMLElement,
    sendNatively?: () => void,
  ) => {
    const form = submitter && formOf(submitter)
    const url = new URL(to, location.href)
    const formData = formDataOf(content)
    const body = bodyOf(formData, form && enctypeOf(form, submitter))
    if (!body) return sendNatively?.()
    // A double click. What scripts send, they mean.
    const key = form ? keyOf(url, formData) : ''
    if (sending.has(key)) return
    if (form) sending.add(key)
    removeNotice()
    const end = begin({ state: 'submitting', url, formData })
    const before = ways.standing()
    try {
      const answer = await ask(url, { method, body }, app).finally(ways.expire)
      // Whoever has gone elsewhere meanwhile stays there.
      if (before === ways.standing())
        await take(answer, url, form, sendNatively ?? (() => sendAsForm(url, method, formData)))
    } catch (error) {
      // Whether it has arrived, nobody knows: nothing is sent again, and nothing that was typed is lost.
      if (before === ways.standing()) showNotice(form)
      if (!form) throw error
      console.error(error)
    } finally {
      sending.delete(key)
      end()
    }
  }

  async function take(answer: Answer, url: URL, form: HTMLFormElement | undefined, sendNatively: () => void) {
    switch (answer.kind) {
      case 'load':
        return sendNatively()
      case 'done':
        return ways.follow(url)
      case 'redirect':
        await ways.follow(new URL(answer.to, url))
        return reset(form)
      case 'page':
        await ways.arrive(url, answer.tree)
        if (answer.status < 400) reset(form)
    }
  }
}

// A button may be called `reset`.
function reset(form: HTMLFormElement | undefined) {
  if (form) HTMLFormElement.prototype.reset.call(form)
}

const NOTICE = 'hydrant-unsent'

function showNotice(form?: HTMLFormElement) {
  const notice = document.createElement('div')
  notice.id = NOTICE
  notice.className = 'hydrant-failure'
  notice.role = 'alert'
  const { hostname, search } = location
  notice.innerHTML = fallbackContent({ kind: 'failure', side: 'client' }, { host: hostname, search })
  if (form) form.before(notice)
  else document.body.prepend(notice)
}

export function removeNotice() {
  document.getElementById(NOTICE)?.remove()
}

function formDataOf(content: SubmitBody): FormData {
  if (content instanceof FormData) return content
  const formData = new FormData()
  const entries = content instanceof URLSearchParams ? content : Object.entries(content)
  for (const [name, value] of entries) formData.append(name, value)
  return formData
}

const MULTIPART = 'multipart/form-data'

function formOf(submitter: HTMLElement): HTMLFormElement {
  // Whatever else sends a form is a button of it.
  return submitter instanceof HTMLFormElement ? submitter : ((submitter as HTMLButtonElement).form as HTMLFormElement)
}

// Attributes: an input of the form may have a property's name.
function enctypeOf(form: Element, submitter: Element): string {
  const own = submitter.getAttribute('formenctype') ?? form.getAttribute('enctype') ?? ''
  return own.toLowerCase()
}

/** What to send, as the browser would; null for what only the browser can. */
function bodyOf(formData: FormData, enctype?: string): FormData | URLSearchParams | null {
  const entries = [...formData]
  if (enctype === 'text/plain') return null
  if (enctype === MULTIPART) return formData
  // Without files in the short form that every parser reads.
  if (enctype === undefined && entries.some(([, value]) => typeof value !== 'string')) return formData
  return new URLSearchParams(
    entries.map(([name, value]) => [name, enctype === undefined ? String(value) : withLineBreaks(value)]),
  )
}

// As forms are sent. A `FormData` is written so by itself.
function withLineBreaks(value: FormDataEntryValue): string {
  return (typeof value === 'string' ? value : value.name).replace(/\r\n?|\n/g, '\r\n')
}

function keyOf(url: URL, formData: FormData): string {
  const seen = (value: FormDataEntryValue) =>
    typeof value === 'string' ? value : [value.name, value.size, value.lastModified]
  return JSON.stringify([url.href, [...formData].map(([name, value]) => [name, seen(value)])])
}

/** Sends it as the browser sends a form; it knows no other methods than POST. */
function sendAsForm(url: URL, method: string, formData: FormData) {
  if (method !== 'POST') throw new Error(`No action of this site's present build answers ${method} ${url.href}.`)
  const form = document.createElement('form')
  form.method = method
  form.action = url.href
  form.enctype = MULTIPART
  form.hidden = true
  form.dataset.hydrantReload = ''
  for (const [name, value] of formData) {
    const input = document.createElement('input')
    input.name = name
    if (typeof value === 'string') {
      // Any other type would lose line breaks.
      input.type = 'hidden'
      input.value = value
    } else {
      const transfer = new DataTransfer()
      transfer.items.add(value)
      input.type = 'file'
      input.files = transfer.files
    }
    form.append(input)
  }
  document.body.append(form)
  HTMLFormElement.prototype.submit.call(form)
}
