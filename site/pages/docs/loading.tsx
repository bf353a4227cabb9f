import { href } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'

export default function Loading() {
  return (
    <>
      <PageHead
        title="Loading data"
        description="load, guards, their context, deferred promises, redirects and refusals."
      />
      <h1>Loading data</h1>
      <p className="lead">
        A page’s <code>load</code> runs on the server for each request, before the page is rendered. It returns plain
        data.
      </p>
      <Section id="load" title="load">
        <p>
          Export <code>load</code> from the <code>.server</code> file with the same name as the page. The page receives
          the returned value as <code>data</code>, with its type.
        </p>
        <Code title="pages/products/[id].server.ts">{LOAD}</Code>
        <Code title="pages/products/[id].tsx">{PAGE}</Code>
        <p>
          A layout may also have a <code>load</code>, in <code>layout.server.ts</code>. All loads of a page run at the
          same time, so none waits for another.
        </p>
        <p>
          Data is sent to the browser, so it must be plain: objects, arrays, strings, numbers, <code>Date</code>,{' '}
          <code>Map</code>, <code>Set</code>, <code>BigInt</code>, <code>URL</code>, typed arrays, and promises of
          these. Anything else, such as a function, causes a failure whose message names its place in the data. Return
          only data that visitors may read, because the document contains everything that <code>load</code> returns.
        </p>
      </Section>
      <Section id="guards" title="Guards">
        <p>
          Export <code>guard</code> from <code>layout.server.ts</code> of a folder to decide who has access to the pages
          of its folder and below. Guards run before all loads and actions, for every kind of request. What they return
          is in <code>context</code>, with its type.
        </p>
        <p>
          A guard refuses with <code>redirect()</code>, <code>notFound()</code> or an <code>HttpError</code>. It also
          runs for unknown paths below the folder. It does not protect files of <code>public/</code> and routes of{' '}
          <code>server.ts</code>. A page may have a <code>guard</code> of its own: on this site, a guard refuses to
          delete the <a href={href('/notes')}>note</a> of another visitor.
        </p>
        <p>
          A function that <code>perRequest()</code> returns runs once for each request and list of arguments. So guards,
          loads and actions can call it without asking the database twice.
        </p>
      </Section>
      <Section id="context" title="The context">
        <Table
          caption="Properties of the context"
          head={['name', 'meaning']}
          rows={[
            [<code key="name">request</code>, 'Fastify’s request, including what plugins add to it'],
            [<code key="name">reply</code>, 'Fastify’s reply: status, headers, cookies'],
            [<code key="name">app</code>, 'the Fastify instance with its decorators, such as a database'],
            [<code key="name">params</code>, 'the decoded parameters of the path, typed by the route in LoadContext'],
            [<code key="name">context</code>, 'what the guards of the page and its layouts have returned'],
            [
              <code key="name">url</code>,
              <>
                the address, a <code>URL</code>, for example for <code>url.searchParams.get('page')</code>
              </>,
            ],
            [
              <code key="name">signal</code>,
              <>
                an <code>AbortSignal</code> that aborts when the visitor has left or the deadline has expired
              </>,
            ],
          ]}
        />
        <p>
          Pass <code>signal</code> to <code>fetch</code> and to other functions that accept one. Their work then stops
          when no visitor waits for the result.
        </p>
      </Section>
      <Section id="deferred" title="Deferred data">
        <p>
          A promise inside the data that <code>load</code> returns is <strong>deferred</strong>. Hydrant sends the page
          without waiting for it. When the promise resolves, that part of the page follows in the same response. The
          page reads the promise with React’s <code>use()</code> inside <code>{'<Suspense>'}</code>.
        </p>
        <Code title="pages/products/[id].server.ts">{DEFERRED_LOAD}</Code>
        <Code title="pages/products/[id].tsx">{DEFERRED_PAGE}</Code>
        <p>
          Use <code>await</code> for data that the page needs, and defer data that is slow. Awaited data can still
          change the status. Deferred data arrives after the status has been sent.
        </p>
      </Section>
      <Section id="answers" title="Redirects, 404 and refusals">
        <p>
          Import these from <code>hydrant</code>. The first two throw, so no code after them runs.
        </p>
        <Table
          caption="Ways to end a load early"
          head={['in load', 'the visitor gets']}
          rows={[
            [
              <code key="code">redirect('/login')</code>,
              'a redirect (302) to that path of this site; the base is optional',
            ],
            [<code key="code">redirect('/new', 301)</code>, 'the same with a status of 301, 302, 303, 307 or 308'],
            [
              <code key="code">redirect(new URL('https://…'))</code>,
              'a redirect to another site. A string that leads to another site is a failure, so a visitor’s input cannot redirect there',
            ],
            [<code key="code">notFound()</code>, 'the 404 page'],
            [
              <code key="code">throw new HttpError(403, 'Members only')</code>,
              <>
                a <a href={href('/docs/failures', {}, { hash: 'refusals' })}>refusal</a>: that status and that message
              </>,
            ],
          ]}
        />
      </Section>
      <Section id="json" title="The same data as JSON">
        <p>Scripts read a page’s data as JSON from the page’s own address. Hydrant awaits the promises in it.</p>
        <Code title="Terminal" language="sh">
          {JSON_REQUEST}
        </Code>
        <p>
          A page without <code>load</code> has no data and responds with 406. See also{' '}
          <a href={href('/docs/scripts')}>Use it from a script</a> for more commands, and{' '}
          <a href={href('/docs/http')}>HTTP responses</a> for the details.
        </p>
      </Section>
    </>
  )
}

const LOAD = `
import { type LoadContext, notFound } from 'hydrant'

export async function load({ app, params }: LoadContext<'/products/[id]'>) {
  const product = await app.shop.product(params.id)
  if (!product) notFound()
  return { product }
}
`

const PAGE = `
import type { PageProps } from 'hydrant/react'

export default function Product({ data }: PageProps<'/products/[id]'>) {
  return <h1>{data.product.name}</h1>
}
`

const DEFERRED_LOAD = `
import { type LoadContext, notFound } from 'hydrant'

export async function load({ app, params, signal }: LoadContext<'/products/[id]'>) {
  const product = await app.shop.product(params.id)
  if (!product) notFound()
  return {
    product,
    reviews: app.shop.reviews(params.id, { signal }), // a promise: not awaited
  }
}
`

const DEFERRED_PAGE = `
import type { PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'

type Data = PageProps<'/products/[id]'>['data']

export default function Product({ data }: PageProps<'/products/[id]'>) {
  return (
    <>
      <h1>{data.product.name}</h1>
      <Suspense fallback={<p>Reviews are on their way…</p>}>
        <Reviews reviews={data.reviews} />
      </Suspense>
    </>
  )
}

function Reviews({ reviews }: Pick<Data, 'reviews'>) {
  return <ul>{use(reviews).map((review) => <li key={review.id}>{review.text}</li>)}</ul>
}
`

const JSON_REQUEST = `
curl -H 'Accept: application/json' http://localhost:3000/products/7
`
