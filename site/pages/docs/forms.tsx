import { href } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'

export default function Forms() {
  return (
    <>
      <PageHead title="Forms" description="action, its form, schemas, redirects, files, and forms of other sites." />
      <h1>Forms</h1>
      <p className="lead">
        A page’s <code>action</code> handles the forms that visitors send to the page. The form is plain HTML and works
        without JavaScript. With JavaScript, Hydrant updates the page in place.
      </p>
      <Action />
      <Outcomes />
      <Schemas />
      <Bodies />
      <Both />
      <UseSubmission />
      <OtherSites />
    </>
  )
}

function Action() {
  return (
    <Section id="action" title="action">
      <p>
        Export <code>action</code> from the same file as <code>load</code>, and a schema for its fields as{' '}
        <code>form</code>: of zod, valibot, arktype or any library that implements{' '}
        <a href="https://standardschema.dev">Standard Schema</a>. The action runs only if the form matches, and receives
        the result as <code>input</code>. The rest of its context is the same as in a{' '}
        <a href={href('/docs/loading', {}, { hash: 'context' })}>load</a>. These two files are a short version of the{' '}
        <a href={href('/notes')}>Notes</a> on this site:
      </p>
      <Code title="pages/notes.server.ts">{ACTION}</Code>
      <Code title="pages/notes.tsx">{PAGE}</Code>
      <p>
        If the form does not match, the response has the status 422 and shows the page again. <code>fields.text</code>{' '}
        has the attributes of the input: what the visitor typed, and the rules that HTML can express, so the browser
        checks them before it sends the form. After success, <code>redirect()</code> sends the visitor to another page,
        so a reload does not send the form again. To distinguish several buttons, use a button’s <code>name</code> and{' '}
        <code>value</code>.
      </p>
      <p>
        An action handles <code>POST</code>, <code>PUT</code>, <code>PATCH</code> and <code>DELETE</code>. HTML forms
        send only the first; <code>request.method</code> has the method. A page without an action responds with 405 to
        these methods. No load runs before an action. The guards of the page and its folders do, before the form is
        read.
      </p>
    </Section>
  )
}

function Outcomes() {
  return (
    <Section id="outcomes" title="What an action does, and the response">
      <Table
        caption="What an action does, and the response"
        head={['the action', 'response to a browser', 'response to a program that requests JSON']}
        rows={[
          ['returns data', 'the page with actionData; all loads run after the action', 'the data'],
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
      <p>
        The returned data may contain the same types as data of a load, except promises. Responses to forms are never
        cached.
      </p>
    </Section>
  )
}

function Schemas() {
  return (
    <Section id="schemas" title="Schemas">
      <p>
        Some mistakes only the action can find. It calls <code>invalidForm()</code> with its messages. The messages of
        the whole form have the empty name:
      </p>
      <Code title="pages/signup.server.ts">{SCHEMA}</Code>
      <Code title="pages/signup.tsx">{FIELDS}</Code>
      <p>
        The text that the visitor typed stays, except for files and secrets. The first field with a message gets the
        focus. A form that is too large is shown again too, with its texts and the status 413. A program that sends or
        requests JSON receives the messages as <code>application/problem+json</code>, in <code>errors</code>.
      </p>
      <p>
        Without a schema, the action reads <code>form</code>, a standard <code>FormData</code>, and the page receives
        what it returns as <code>actionData</code>.
      </p>
      <p>
        A schema with the name <code>search</code> validates the query of the URL, and one with the name{' '}
        <code>params</code> the parameters of the path. If they do not match, the response is a 400 or a 404. A form
        with the method <code>get</code> writes its fields into the query: the{' '}
        <a href={href('/notes', {}, { search: { q: 'tea' } })}>search of the notes</a> works this way.
      </p>
    </Section>
  )
}

function Bodies() {
  return (
    <Section id="files" title="Files, JSON and limits">
      <p>
        A form with <code>encType="multipart/form-data"</code> uploads files as standard <code>File</code> objects.
        Hydrant stores them on disk, and removes them at the end of the request, so copy files that you want to keep.
        JSON is in <code>request.body</code>. Any other type is refused with 415, unless <code>server.ts</code> has a
        parser for it.
      </p>
      <Code title="pages/photos.server.ts">{FILES}</Code>
      <Table
        caption="Limits for requests"
        head={['option', 'default', 'limit for']}
        rows={[
          [<code key="option">bodyLimit</code>, '1 MiB', 'JSON, or all text fields of a form together'],
          [<code key="option">forms.maxFields</code>, '1 000', 'the number of fields'],
          [<code key="option">forms.maxFiles</code>, '10', 'how many files'],
          [<code key="option">forms.maxFileBytes</code>, '10 MiB', 'one file'],
        ]}
      />
      <p>
        A larger request is refused with 413, and the message names the limit. A proxy has its own limit: in nginx,{' '}
        <code>client_max_body_size</code>, 1 MB by default.
      </p>
    </Section>
  )
}

function Both() {
  return (
    <Section id="both" title="With JavaScript and without">
      <p>
        Without JavaScript, the browser sends the form and shows the document of the response. With JavaScript, Hydrant
        sends the form with <code>fetch</code> and updates the current page. Layouts keep their state. The page also
        keeps its state if the response is for the same page. After a success, the form is reset. Meanwhile,{' '}
        <code>useNavigation()</code> has the state <code>submitting</code>.
      </p>
      <p>
        Hydrant handles the form’s <code>submit</code> event after your own handlers. A handler that calls{' '}
        <code>preventDefault()</code> keeps Hydrant from sending the form. Hydrant sends the same fields as the browser
        would, including the button’s name and value. Tools that click and type like a visitor need no special handling:{' '}
        <code>await page.click('button')</code> of Playwright works as on any page.
      </p>
      <p>
        Hydrant does not send the same form twice at the same time. It can send several different forms at the same
        time, and applies their responses in the order in which they were sent. A response never moves a visitor who has
        followed a link since.
      </p>
      <p>
        Hydrant never sends a form again by itself. Without a network, a notice above the form says that it was not
        sent. If the connection was cut, the notice says that the form may or may not have arrived. The fields keep what
        the visitor typed. To style the notice, use <code>.hydrant-notice</code>.
      </p>
      <p>In these cases the browser sends the form itself, as without JavaScript:</p>
      <ul>
        <li>A new version of the site has been deployed.</li>
        <li>The target is not a page with an action.</li>
        <li>
          The form or its button has <code>data-hydrant-reload</code>.
        </li>
        <li>
          The form has a <code>target</code>, or the click opens another tab.
        </li>
        <li>The page is not interactive yet.</li>
      </ul>
    </Section>
  )
}

function UseSubmission() {
  return (
    <Section id="use-submission" title="Without leaving the page: useSubmission">
      <p>
        <code>useSubmission</code> sends to the action of any page, and the visitor stays. Each has its own state, and
        several can send at the same time. After the action, the loads of the current page run again. Without
        JavaScript, the form is an ordinary form.
      </p>
      <Code title="components/star.tsx">{USE_SUBMISSION}</Code>
      <Table
        caption="What useSubmission() returns"
        head={['name', 'meaning']}
        rows={[
          [<code key="name">form</code>, 'the props of a form that sends to the action'],
          [
            <code key="name">submit(body, options)</code>,
            <>
              sends an object of strings, a <code>URLSearchParams</code> or a <code>FormData</code>; the option{' '}
              <code>method</code> is <code>'POST'</code> by default. Call it in event handlers and effects
            </>,
          ],
          [<code key="name">data</code>, 'the value that the action returned last'],
          [<code key="name">invalid</code>, 'the form, if it did not match the schema of the page'],
          [<code key="name">error</code>, 'why it did not: message, status and digest. The page is not replaced'],
          [<code key="name">isPending</code>, 'whether the newest submission has no result yet'],
          [
            <code key="name">formData</code>,
            'the fields of the newest submission, until the page shows the fresh data',
          ],
          [<code key="name">progress</code>, 'from 0 to 1, how much of a body with files has been sent'],
          [
            <>
              <code key="reset">reset()</code>, <code>abort()</code>
            </>,
            'forgets the result; stops sending',
          ],
        ]}
      />
      <p>
        If the action changes nothing that a page shows, add <code>export const revalidate = false</code> to its{' '}
        <code>.server</code> file. <code>refresh()</code> runs the loads of the current page at any time.
      </p>
    </Section>
  )
}

function OtherSites() {
  return (
    <Section id="other-sites" title="Forms of other sites">
      <p>
        A browser also sends a visitor’s cookies with a form on another site. Hydrant refuses such requests with 403,
        for pages and for routes of <code>server.ts</code>, before it reads their body. No token is needed. Hydrant
        reads the header <code>Sec-Fetch-Site</code>. Browsers do not send it on plain http; there, Hydrant compares{' '}
        <code>Origin</code> with the host and port that the visitor sees. Programs send neither header, and their
        requests are accepted.
      </p>
      <p>
        To accept forms from another site of yours, add it: <code>allowedOrigins: ['https://app.example']</code>.
      </p>
      <p>
        With https, this works behind a proxy without any setting. With plain http on a non-default port, the proxy must
        pass the port on. In nginx, use <code>proxy_set_header Host $http_host</code>, because <code>$host</code> drops
        the port. For each refusal, a line in the log says what was compared and how to fix it.
      </p>
    </Section>
  )
}

const ACTION = `
import { type ActionContext, type LoadContext, redirect } from 'hydrant'
import { z } from 'zod'

export const form = z.object({
  text: z.string().trim().min(1, 'Write something.').max(280),
})

export async function load({ app }: LoadContext<'/notes'>) {
  return { notes: await app.notes.list() }
}

export async function action({ app, input }: ActionContext<'/notes'>) {
  await app.notes.add(input.text)
  redirect('/notes')
}
`

const PAGE = `
import type { PageProps } from 'hydrant/react'

export default function Notes({ data, fields }: PageProps<'/notes'>) {
  return (
    <>
      <form method="post">
        <label>
          Your note <input {...fields.text} />
        </label>
        <p id={fields.text.errorId}>{fields.text.issues}</p>
        <button>Add</button>
      </form>
      <ul>{data.notes.map((note) => <li key={note.id}>{note.text}</li>)}</ul>
    </>
  )
}
`

const USE_SUBMISSION = `
import { useSubmission } from 'hydrant/react'

export function Star({ id }: { id: string }) {
  const star = useSubmission('/notes')
  return (
    <form {...star.form}>
      <button name="star" value={id} disabled={star.isPending}>
        Star
      </button>
      {star.error && <p role="alert">{star.error.message}</p>}
    </form>
  )
}
`

const SCHEMA = `import { type ActionContext, invalidForm, redirect } from 'hydrant'
import { z } from 'zod'

export const form = z.object({
  email: z.email('Enter an e-mail address.'),
  password: z.string().min(8, 'Use at least 8 characters.'),
})

const known = new Set<string>()

export async function action({ input }: ActionContext<'/signup'>) {
  if (known.has(input.email)) invalidForm({ email: 'This address has an account.' })
  known.add(input.email)
  redirect('/')
}`

const FIELDS = `import type { PageProps } from 'hydrant/react'

export default function SignUp({ fields, invalid }: PageProps<'/signup'>) {
  return (
    <form method="post">
      {invalid && <p role="alert">The form was not sent. {invalid.issues['']}</p>}
      <label>
        E-mail <input {...fields.email} />
      </label>
      <p id={fields.email.errorId}>{fields.email.issues}</p>
      <label>
        Password <input type="password" {...fields.password} />
      </label>
      <p id={fields.password.errorId}>{fields.password.issues}</p>
      <button type="submit">Sign up</button>
    </form>
  )
}`

const FILES = `
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type ActionContext, redirect } from 'hydrant'

export async function action({ form, signal }: ActionContext<'/photos'>) {
  const photo = form.get('photo')
  if (photo instanceof File) {
    await pipeline(photo.stream(), createWriteStream(join('uploads', randomUUID())), { signal })
  }
  redirect('/photos')
}
`
