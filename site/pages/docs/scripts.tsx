import { href, type PageProps } from 'hydrant/react'
import { Code } from '../../components/code.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { Section } from '../../components/section.tsx'
import { Table } from '../../components/table.tsx'
import { hrefOfDocument } from '../../content/document-href.ts'
import { failing, looking, reading, type Script, scriptFor, sending } from '../../content/scripts.ts'

export const prerender = true

export default function Scripts({ url }: PageProps<'/docs/scripts'>) {
  const site = new URL(href('/'), url).href.replace(/\/$/, '')
  return (
    <>
      <PageHead title="Use it from a script" description="A page’s data, its form and its errors, from a terminal." />
      <h1>Use it from a script</h1>
      <p className="lead">
        There is no separate API: programs use a page’s own address. These commands work with the{' '}
        <a href={href('/notes')}>notes</a> of this site. Copy them into a terminal.
      </p>
      <Section id="read" title="Read">
        <p>
          When a program requests <code>application/json</code>, a page responds with the data that its{' '}
          <code>load</code> returned, including deferred promises. Nothing is rendered. Dates are strings; a{' '}
          <a href={hrefOfDocument('http', 'data-as-json')}>table</a> lists the other types.
        </p>
        <Samples site={site} scripts={reading} />
      </Section>
      <Section id="send" title="Send">
        <p>
          A page with an <a href={hrefOfDocument('guide/forms')}>action</a> accepts forms, with or without files, and
          JSON. If the action calls <code>redirect()</code>, the response is 303 with <code>Location</code>. If it
          returns data, the response contains the data. If it returns nothing, the response is 204.
        </p>
        <Samples site={site} scripts={sending} />
        <p>No token is needed. The protection against forms of other sites checks headers that only browsers send.</p>
      </Section>
      <Section id="errors" title="Errors">
        <p>
          An error is <code>application/problem+json</code>. A failure has a <code>digest</code>, which leads to its
          line in the server’s log. The header <code>X-Error-Digest</code> contains it, too. A refusal has no digest:
          its <code>detail</code> says what is wrong.
        </p>
        <Table
          caption="What a program should do for each status"
          head={['status', 'meaning', 'what to do']}
          rows={[
            ['400, 413, 415, 422', 'the request is not valid', 'read the response, change the request'],
            [
              '404, 405, 406',
              'there is no such page, method or format',
              'use another address, method or Accept header',
            ],
            ['500', 'a failure', 'report the digest'],
            ['504', 'the deadline has passed', 'report the digest, or try again later'],
          ]}
        />
        <Samples site={site} scripts={failing} />
      </Section>
      <Section id="look" title="Status, headers and caching">
        <p>
          <code>HEAD</code> runs the loads and renders nothing, so redirects, refusals and failures of loads have their
          status. Documents that are not streamed have an <code>ETag</code>. JSON has none, and caches must revalidate
          it unless the page sets another policy.
        </p>
        <Samples site={site} scripts={looking} />
        <p>
          Browsers use addresses with <code>_hydrant</code> in the query for navigations. Do not use them in scripts,
          because their responses may change with every version.
        </p>
      </Section>
    </>
  )
}

function Samples({ site, scripts }: { site: string; scripts: readonly Script[] }) {
  return scripts.map((script) => (
    <Code key={script.id} title={script.title} language={script.language}>
      {scriptFor(site, script)}
    </Code>
  ))
}
