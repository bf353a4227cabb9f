import { href, type LayoutProps } from 'hydrant/react'
import { chapters, neighbours } from '../../content/chapters.ts'
import classes from './layout.module.css'

export default function DocsLayout({ children, data, url }: LayoutProps<'/docs'>) {
  return (
    <div className={classes.docs}>
      <nav className={classes.chapters} aria-label="Documentation">
        <p className={classes.version}>
          <a href={href('/docs')} aria-current={url.pathname === href('/docs') ? 'page' : undefined}>
            Documentation
          </a>{' '}
          {data.version}
        </p>
        <ul>
          {chapters.map(({ path, title }) => (
            <li key={path}>
              <a href={path} aria-current={url.pathname === path ? 'page' : undefined}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div className={classes.text}>
        {children}
        <Neighbours path={url.pathname} />
      </div>
    </div>
  )
}

function Neighbours({ path }: { path: string }) {
  const { previous, next } = neighbours(path)
  return (
    <nav className={classes.neighbours} aria-label="Neighbouring chapters">
      {previous && (
        <a href={previous.path} rel="prev">
          <span>Before</span> {previous.title}
        </a>
      )}
      {next && (
        <a className={classes.nextChapter} href={next.path} rel="next">
          <span>Next</span> {next.title}
        </a>
      )}
    </nav>
  )
}
