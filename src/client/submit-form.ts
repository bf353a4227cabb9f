// Sends forms, and what scripts have put together, to the actions of pages.

import type { Tree } from '../shared/tree/app-tree.tsx'
import type { SubmitBody } from '../shared/tree/navigation-state.ts'
import type { App } from './app-state.ts'
import { type Answer, ask } from './fetch-page.ts'
import { bodyOf, formDataOf, keyOf, MULTIPART } from './form-body.ts'
import type { createActivity } from './navigation-activity.ts'
import { removeNotice, showFailure, showSentence } from './notice.ts'
import { sendNatively } from './submit-natively.ts'

interface Ways {
  /** How often the visitor has set off for another page. */
  departures(): number
  /** What has been fetched so far is out of date. */
  expire(): void
  isOurs(url: URL): boolean
  /** Is it the address of the page that stands? */
  isHere(url: URL): boolean
  /** Shows what an action has answered, at its address. All loads have run behind it. */
  arrive(url: URL, tree: Tree): Promise<void>
  /** Goes to where an action leads, if that still counts when the page there has been fetched. */
  follow(url: URL, counts: () => boolean): Promise<void>
  /** Runs the loads of the page that stands once more. What its action has returned stays. */
  refresh(): Promise<void>
}

/** Something that is being sent. */
interface Submission {
  url: URL
  method: string
  formData: FormData
  /** Missing for what a script sends, like `enctype`. */
  form: HTMLFormElement | undefined
  enctype: string | undefined
  /** What is sent later has a higher one. */
  number: number
  /** Has the visitor not set off for another page since? */
  counts(): boolean
}

/** As many as of redirects. */
const MAX_SENT_ON = 20

/**
 * Sends; resolves when the answer stands in the page. Several submissions may be on their way at the same time. Their
 * answers take effect in the order in which they were sent:
 *
 * - An answer is not shown when a newer one has been, or when the visitor has set off for another page since.
 * - An answer leads to another address only when nothing newer has been sent.
 * - What the actions have changed is seen all the same: when the last of them has been answered, the loads of the page
 *   that stands run once more.
 */
export function createSender(app: App, begin: ReturnType<typeof createActivity>, ways: Ways) {
  const sending = new Set<string>()
  const newestOf = new WeakMap<HTMLFormElement, number>()
  let newest = 0
  /** The newest whose answer has taken effect. */
  let shown = 0
  let underWay = 0
  /** May the page that stands lack what an action has changed? */
  let isBehind = false

  return async (to: string | URL, method: string, content: SubmitBody, form?: HTMLFormElement, enctype?: string) => {
    const url = new URL(to, location.href)
    const formData = formDataOf(content)
    // A double click. What scripts send, they mean.
    const key = form ? keyOf(url, formData) : ''
    if (sending.has(key)) return
    if (form) sending.add(key)
    removeNotice(form)
    const end = begin({ state: 'submitting', url, formData })
    const before = ways.departures()
    const number = ++newest
    const submission = { url, method, formData, form, enctype, number, counts: () => before === ways.departures() }
    if (form) newestOf.set(form, number)
    underWay++
    try {
      await deliver(submission)
    } finally {
      sending.delete(key)
      end()
      if (--underWay === 0 && isBehind) {
        isBehind = false
        void ways.refresh()
      }
    }
  }

  async function deliver(submission: Submission) {
    const { form, counts } = submission
    const wasOffline = !navigator.onLine
    const answer = await askFor(submission).catch((error) => {
      // Nothing is sent again, and nothing that was typed is lost.
      if (counts()) showSentence(sentenceOf(form ? 'The form' : 'This', wasOffline), form)
      if (!form) throw error
      console.error(error)
    })
    if (!answer) return
    // The loads behind the others may have run before this action has ended.
    if (underWay > 1) isBehind = true
    if (counts()) await take(answer, submission)
    else if (answer.kind !== 'load') isBehind = true
  }

  /** Sends it, and on to where an action wants to have it sent, as a browser does with the status 307. */
  async function askFor(submission: Submission): Promise<Answer> {
    const { method, formData, enctype } = submission
    const body = bodyOf(formData, enctype)
    for (let count = 0; ; count++) {
      const answer = await ask(submission.url, { method, body }, app).finally(ways.expire)
      if (answer.kind !== 'redirect' || !answer.isSentOn || count === MAX_SENT_ON) return answer
      submission.url = new URL(answer.to, submission.url)
      if (!ways.isOurs(submission.url)) return { kind: 'load' }
    }
  }

  async function take(answer: Answer, { url, method, formData, form, enctype, number, counts }: Submission) {
    const isNewest = () => counts() && number === newest
    switch (answer.kind) {
      case 'load':
        // Nothing has been done with it yet. A browser's forms know no other method.
        if (method !== 'POST') {
          showSentence('This was not sent. Reload the page and try again.')
          throw new Error(`The current build of this site has no action for ${method} ${url.href}.`)
        }
        return sendNatively(url.href, enctype ?? MULTIPART, formData)
      case 'done':
      case 'redirect':
        isBehind ||= !isNewest()
        if (isNewest()) {
          shown = number
          await ways.follow(answer.kind === 'done' ? url : new URL(answer.to, url), isNewest)
        }
        if (answer.kind === 'redirect') reset(form, number)
        return
      case 'page':
        if (number > shown && (isNewest() || ways.isHere(url))) {
          shown = number
          await ways.arrive(url, answer.tree)
        } else {
          isBehind = true
          if (answer.tree.leaf.kind === 'shown') showFailure(answer.tree.leaf.shown, form)
        }
        if (answer.status < 400) reset(form, number)
    }
  }

  function reset(form: HTMLFormElement | undefined, number: number) {
    // A button may be called `reset`. What has been sent since is not answered yet.
    if (form && newestOf.get(form) === number) HTMLFormElement.prototype.reset.call(form)
  }
}

/** Whether it has arrived, nobody knows, unless there was no network to begin with. */
function sentenceOf(what: string, wasOffline: boolean): string {
  return wasOffline && !navigator.onLine
    ? `${what} was not sent: there is no network connection. Try again when there is one.`
    : `${what} may or may not have arrived: the server did not answer as expected. Check before you send it again.`
}
