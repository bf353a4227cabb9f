import type { LayoutProps } from 'hydrant/react'
import { Main } from '../../components/main.tsx'
import { groupByChapter } from '../../content/chapters.ts'

type Pages = NonNullable<LayoutProps<'/docs'>['data']>['pages']

export default function DocsLayout({ data, url, children }: LayoutProps<'/docs'>) {
  const pages = data?.pages ?? []
  const index = pages.findIndex(({ path }) => path === url.pathname)
  const page = pages[index]
  return (
    <div className="docs">
      {/* On narrow screens, a link closes the list. */}
      <details key={url.pathname} className="menu">
        <summary>All pages</summary>
        <Chapters pages={pages} current={url.pathname} />
      </details>
      {page && page.headings.length > 0 && <OnThisPage headings={page.headings} />}
      <div className="text">
        <Main title={page?.title ?? 'Documentation'}>
          <p className="lead">{page?.description}</p>
          {children}
        </Main>
        <Neighbors previous={pages[index - 1]} next={pages[index + 1]} />
      </div>
      <link rel="alternate" type="text/markdown" href={url.pathname} />
    </div>
  )
}

function Chapters({ pages, current }: { pages: Pages; current: string }) {
  return (
    <nav aria-label="Documentation">
      {groupByChapter(pages).map(([chapter, pages]) => (
        <section key={chapter}>
          <h2>{chapter}</h2>
          <ul>
            {pages.map(({ path, title }) => (
              <li key={path}>
                <a href={path} aria-current={path === current ? 'page' : undefined}>
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}

function OnThisPage({ headings }: Pick<Pages[number], 'headings'>) {
  return (
    <nav className="on-this-page" aria-labelledby="on-this-page">
      <h2 id="on-this-page">On this page</h2>
      <ul>
        {headings.map(({ id, heading }) => (
          <li key={id}>
            <a href={`#${id}`}>{heading}</a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Neighbors({ previous, next }: { previous: Pages[number] | undefined; next: Pages[number] | undefined }) {
  return (
    <nav className="neighbors" aria-label="Previous and next page">
      {previous && (
        <a href={previous.path} rel="prev">
          ← {previous.title}
        </a>
      )}
      {next && (
        <a href={next.path} rel="next">
          {next.title} →
        </a>
      )}
    </nav>
  )
}
