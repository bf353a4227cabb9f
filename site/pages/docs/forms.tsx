import { href } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'

export default function Forms() {
  return (
    <>
      <PageHead title="Forms" description="action, its form, validation, redirects, files, and forms of other sites." />
      <h1>Forms</h1>
      <p className="lead">
        A page’s <code>action</code> answers what is sent to the page. The form is plain HTML and works without
        JavaScript; with it, the page changes in place.
      </p>
      <Action />
      <Outcomes />
      <Bodies />
      <Both />
      <UseAction />
      <OtherSites />
    </>
  )
}

function Action() {
  return (
    <Section id="action" title="action">
      <p>
        It stands beside <code>load</code>. <code>form</code> is a standard <code>FormData</code>; the rest of its
        context is that of a <a href={href('/docs/loading', {}, { hash: 'context' })}>load</a>. These two files are what{' '}
        <a href={href('/notes')}>Notes</a> on this site is made of, in short:
      </p>
      <Code title="pages/notes.server.ts">{ACTION}</Code>
      <Code title="pages/notes.tsx">{PAGE}</Code>
      <p>
        What it returns is the page’s <code>actionData</code>. With a status of 422 the page comes back, says what is
        wrong and keeps what was typed. After success <code>redirect()</code> sends the visitor on, so that reloading
        the page sends nothing twice. A button’s <code>name</code> and <code>value</code> tell several buttons apart.
      </p>
      <p>
        An action answers <code>POST</code>, <code>PUT</code>, <code>PATCH</code> and <code>DELETE</code>; HTML’s forms
        know only the first, and <code>request.method</code> says which. A page without an action answers them with 405.
        No load runs before an action: whether the visitor may do this has to be checked in the action, or in a hook of{' '}
        <code>server.ts</code>.
      </p>
    </Section>
  )
}

function Outcomes() {
  return (
    <Section id="outcomes" title="What an action does, what is answered">
      <Table
        caption="What an action does, and the answers"
        head={['the action', 'a browser gets', 'a program that wants JSON gets']}
        rows={[
          ['returns data', 'the page with actionData; all loads run behind it', 'the data'],
          ['returns nothing', 'the page', '204'],
          [<code key="does">reply.code(422)</code>, 'that status', 'that status'],
          [<code key="does">redirect('/notes')</code>, '303, and the page there', '303'],
          [
            <code key="does">throw new HttpError(403, …)</code>,
            'the refusal, in the page’s place',
            'application/problem+json',
          ],
          ['fails', 'the sentence and the digest, in the page’s place', 'application/problem+json'],
        ]}
      />
      <p>Data of an action may hold what a load’s may, but no promises. No answer to a form is ever stored.</p>
    </Section>
  )
}

function Bodies() {
  return (
    <Section id="files" title="Files, JSON and limits">
      <p>
        A form with <code>encType="multipart/form-data"</code> brings files as standard <code>File</code> objects. They
        lie on the disk and are removed when the request has been answered: copy what is to stay. JSON is in{' '}
        <code>request.body</code>; any other type is 415, unless <code>server.ts</code> has a parser for it.
      </p>
      <Code title="pages/photos.server.ts">{FILES}</Code>
      <Table
        caption="Limits of what is sent"
        head={['option', 'default', 'limits']}
        rows={[
          [<code key="option">bodyLimit</code>, '1 MiB', 'JSON, or all texts of a form together'],
          [<code key="option">forms.maxFields</code>, '1 000', 'how many fields'],
          [<code key="option">forms.maxFieldBytes</code>, '1 MiB', 'one field'],
          [<code key="option">forms.maxFiles</code>, '10', 'how many files'],
          [<code key="option">forms.maxFileBytes</code>, '10 MiB', 'one file'],
        ]}
      />
      <p>
        What is larger is refused with 413, which names the limit. A proxy has one of its own: in nginx{' '}
        <code>client_max_body_size</code>, 1 MB.
      </p>
    </Section>
  )
}

function Both() {
  return (
    <Section id="both" title="With JavaScript and without">
      <p>
        Without, the browser sends the form and shows the document that comes. With it, the form is sent by{' '}
        <code>fetch</code>, and the answer takes its place in the page that stands: layouts keep their state, and so
        does the page, if the answer is that page again. When the answer is a success, the form is emptied.{' '}
        <code>useNavigation()</code> has the state <code>submitting</code> meanwhile.
      </p>
      <p>
        The form is taken over at its <code>submit</code> event, behind your own handlers: whoever calls{' '}
        <code>preventDefault()</code> keeps it. What is sent is what the browser itself would send, with the button’s
        name and value. Tools that click and type like a visitor need nothing special:{' '}
        <code>await page.click('button')</code> of Playwright works as on any page.
      </p>
      <p>
        The same form is not sent a second time while it is on its way. Several forms may be; their answers take effect
        in the order in which they were sent, and an answer never leads away a visitor who has gone on since.
      </p>
      <p>
        Nothing is ever sent again behind the visitor’s back. Without a network, a notice before the form says that it
        was not sent. When the connection is cut, nobody knows whether the form has arrived, and the notice says that.
        What was typed stays. <code>.hydrant-notice</code> gives the notice your own style.
      </p>
      <p>
        When the site has been deployed meanwhile, or the target is no action of a page, the browser sends the form by
        itself, in the ordinary way; <code>data-hydrant-reload</code> on a form or its button asks for that. So it does
        with a <code>target</code>, with a click that opens another tab, and until the page is interactive.
      </p>
    </Section>
  )
}

function UseAction() {
  return (
    <Section id="use-action" title="Without a form: useAction">
      <p>
        <code>useAction</code> is for components that have no <code>actionData</code> of their own, and for what no form
        sends: a key that is pressed, a card that is dragged. It needs JavaScript; a form does not.
      </p>
      <Code title="components/star.tsx">{USE_ACTION}</Code>
      <Table
        caption="What useAction() returns"
        head={['name', 'is']}
        rows={[
          [<code key="name">data</code>, 'what the page’s action returned last, as in actionData'],
          [
            <code key="name">submit(body, options)</code>,
            <>
              sends fields, a <code>URLSearchParams</code> or a <code>FormData</code>; <code>method</code> (
              <code>'POST'</code>) and <code>action</code> (this page) are options. For event handlers and effects
            </>,
          ],
          [<code key="name">isPending</code>, 'whether something is being sent to this page, by a form as well'],
        ]}
      />
    </Section>
  )
}

function OtherSites() {
  return (
    <Section id="other-sites" title="Forms of other sites">
      <p>
        A browser sends a visitor’s cookies also with a form that stands on another site. Such requests are refused with
        403, for pages and for routes of <code>server.ts</code>, before their body is read. No token is needed:{' '}
        <code>Sec-Fetch-Site</code> tells, and where a browser does not send it (on plain http), <code>Origin</code> is
        compared with the host and port that the visitor sees. Programs send neither, and pass.
      </p>
      <p>
        To let another site of yours send forms here, name it: <code>allowedOrigins: ['https://app.example']</code>.
      </p>
      <p>
        Behind a proxy this needs no setting on https. On plain http at a port of its own, the proxy has to pass the
        port on, in nginx by <code>proxy_set_header Host $http_host</code>, as <code>$host</code> drops it. A refusal
        writes a line into the log which says what was compared and what to do.
      </p>
    </Section>
  )
}

const ACTION = `
import { type ActionContext, type LoadContext, redirect } from 'hydrant'

export async function load({ app }: LoadContext<'/notes'>) {
  return { notes: await app.notes.list() }
}

export async function action({ form, reply, app }: ActionContext<'/notes'>) {
  const text = String(form.get('text') ?? '')
  if (text === '') {
    reply.code(422)
    return { text, problem: 'Write something.' }
  }
  await app.notes.add(text)
  redirect('/notes')
}
`

const PAGE = `
import type { PageProps } from 'hydrant/react'
import type { action, load } from './notes.server.ts'

export default function Notes({ data, actionData }: PageProps<typeof load, typeof action>) {
  return (
    <>
      <form method="post">
        <label htmlFor="text">Your note</label>
        <input
          id="text"
          name="text"
          defaultValue={actionData?.text}
          aria-invalid={actionData ? true : undefined}
          aria-describedby="problem"
        />
        <p id="problem">{actionData?.problem}</p>
        <button>Add</button>
      </form>
      <ul>{data.notes.map((note) => <li key={note.id}>{note.text}</li>)}</ul>
    </>
  )
}
`

const USE_ACTION = `
import { useAction } from 'hydrant/react'
import type { action } from '../pages/notes.server.ts'

export function Star({ id }: { id: string }) {
  const [data, submit, isPending] = useAction<typeof action>()
  return (
    <>
      <button type="button" disabled={isPending} onClick={() => submit({ id }, { method: 'PATCH' })}>
        Star
      </button>
      {data && <p>{data.problem}</p>}
    </>
  )
}
`

const FILES = `
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { type ActionContext, redirect } from 'hydrant'

export async function action({ form, signal }: ActionContext<'/photos'>) {
  const photo = form.get('photo')
  if (photo instanceof File) {
    await pipeline(photo.stream(), createWriteStream(newPath()), { signal })
  }
  redirect('/photos')
}
`
