import { href, type LayoutProps } from 'hydrant/react'
import { SearchForm } from '../../components/search-form.tsx'
import classes from './layout.module.css'

export default function DocsLayout({ children, data, url }: LayoutProps<'/docs'>) {
  const isCurrent = (path: string) => (url.pathname === path ? 'page' : undefined)
  const isSearch = url.pathname === href('/docs/search')
  return (
    <div className={classes.docs}>
      <div className={classes.side}>
        <SearchForm q={isSearch ? (url.searchParams.get('q') ?? '') : null} />
        <nav className={classes.list} aria-label="Documentation">
          <p className={classes.version}>
            <a href={href('/docs')} aria-current={isCurrent(href('/docs'))}>
              All documents
            </a>{' '}
            {data.version}
          </p>
          <div className={classes.groups}>
            {[...data.groups, LIVE].map(({ title, links }) => (
              <div key={title}>
                <p className={classes.group}>{title}</p>
                <ul>
                  {links.map(({ href, title }) => (
                    <li key={href}>
                      <a href={href} aria-current={isCurrent(href)}>
                        {title}
                      </a>
                    </li>
                  ))}
                </ul>
              </div>
            ))}
          </div>
        </nav>
      </div>
      <main className={classes.text} id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

/** Pages of this site that show what the documents describe. */
const LIVE = {
  title: 'Live',
  links: [
    { href: href('/docs/scripts'), title: 'Use it from a script' },
    { href: href('/notes'), title: 'Notes' },
    { href: href('/failures'), title: 'Failures' },
  ],
}
