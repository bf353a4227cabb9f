// A site that throws values without a stack, chosen by the URL, in every place where a site's code may throw.

import type { Files } from '../server/served.ts'

/** Kinds of values, as `parts/values.js` makes them. */
export const KINDS = [
  'string',
  'number',
  'undefined',
  'null',
  'symbol',
  'digest',
  'frozen',
  'deleted',
  'overwritten',
  'unreadable',
] as const

const page = 'export default function Page() {\n  return <p>page</p>\n}\n'
const shown = (name: string, component: string) =>
  `import { ${name} } from '../../parts/cells.jsx'\nexport default function Page({ params }) {\n  return <main>${component}</main>\n}\n`

/**
 * A function that is expected in the stack begins in a line that ends with `// place: ` and the path that leads
 * there.
 */
export const STACKLESS_SITE: Files = {
  'parts/values.js': `export const values = {
  string: () => 'text',
  number: () => 42,
  undefined: () => undefined,
  null: () => null,
  symbol: () => Symbol('sign'),
  digest: () => ({ digest: 'x' }),
  frozen: () => Object.freeze({ a: 1 }),
  deleted() {
    const error = new Error('deleted')
    delete error.stack
    return error
  },
  overwritten: () => Object.assign(new Error('overwritten'), { stack: 'nothing of use' }),
  unreadable: () =>
    Object.defineProperty(new Error('unreadable'), 'stack', {
      get() {
        throw new Error('the stack')
      },
    }),
}
`,
  'parts/cells.jsx': `import { Component, forwardRef, lazy, memo } from 'react'
import { values } from './values.js'
export function Shell({ kind }) { // place: /shell
  throw values[kind]()
}
export const Arrow = ({ kind }) => { // place: /arrow
  throw values[kind]()
}
export class Classy extends Component { // place: /class
  render() {
    throw values[this.props.kind]()
  }
}
export const Memo = memo(function Remembered({ kind }) { // place: /memo
  throw values[kind]()
})
export const Nameless = memo(({ kind }) => { // place: /nameless
  throw values[kind]()
})
export const Forward = forwardRef(({ kind }, ref) => { // place: /forward
  throw values[kind]()
})
export const Both = memo(forwardRef(({ kind }, ref) => { // place: /both
  throw values[kind]()
}))
function Later({ kind }) { // place: /lazy
  throw values[kind]()
}
export const Lazy = lazy(async () => ({ default: Later }))
export const Imported = lazy(() => import('./imported.jsx'))
export function Outer({ kind }) {
  return <Inner kind={kind} />
  function Inner({ kind }) { // place: /inner
    throw values[kind]()
  }
}
export function Named({ kind }) { // place: /named
  throw values[kind]()
}
Named.displayName = 'Section.Named'
`,
  'parts/imported.jsx': `import { values } from './values.js'
export default ({ kind }) => { // place: /imported
  throw values[kind]()
}
`,
  'parts/loads.ts': `import { values } from './values.js'
export async function shared({ params }) { // place: /elsewhere
  throw values[params.kind]()
}
`,
  'pages/layout.tsx':
    'export default function Layout({ children }) {\n  return <html lang="en"><body>{children}</body></html>\n}\n',
  'pages/load/[kind].tsx': page,
  'pages/load/[kind].server.ts': `import { values } from '../../parts/values.js'

export async function load({ params }) { // place: /load
  throw values[params.kind]()
}
`,
  'pages/constant/[kind].tsx': page,
  'pages/constant/[kind].server.ts': `import { values } from '../../parts/values.js'
const wrapped = (load) => (context) => load(context)
export const load = wrapped(({ params }) => { // place: /constant
  throw values[params.kind]()
})
`,
  'pages/elsewhere/[kind].tsx': page,
  'pages/elsewhere/[kind].server.ts': "export { shared as load } from '../../parts/loads.ts'\n",
  'pages/deferred/[kind].tsx':
    'import { Suspense, use } from \'react\'\nexport default function Page({ data }) {\n  return <Suspense fallback="waits"><Late late={data.late} /></Suspense>\n}\nfunction Late({ late }) {\n  return use(late)\n}\n',
  'pages/deferred/[kind].server.ts': `import { values } from '../../parts/values.js'
export function load({ params }) { // place: /deferred
  return { late: new Promise((_, reject) => setTimeout(() => reject(values[params.kind]()), 5)) }
}
`,
  'pages/framed/layout.tsx': 'export default function Framed({ children }) {\n  return <div>{children}</div>\n}\n',
  'pages/framed/layout.server.ts': `import { values } from '../../parts/values.js'
export const load = async ({ params }) => { // place: /framed
  throw values[params.kind]()
}
`,
  'pages/framed/[kind].tsx': page,
  'pages/action/[kind].tsx': page,
  'pages/action/[kind].server.ts': `import { values } from '../../parts/values.js'
export const action = ({ params }) => { // place: /action
  throw values[params.kind]()
}
`,
  'pages/wrapped/[kind].tsx': `import { values } from '../../parts/values.js'
const withNothing = (Part) => (props) => <Part {...props} />
export default withNothing(({ params }) => { // place: /wrapped
  throw values[params.kind]()
})
`,
  'pages/unnamed/[kind].tsx': `import { values } from '../../parts/values.js'
export default ({ params }) => { // place: /unnamed
  throw values[params.kind]()
}
`,
  'pages/shell/[kind].tsx': shown('Shell', '<Shell kind={params.kind} />'),
  'pages/suspense/[kind].tsx': `import { Suspense, use } from 'react'
import { values } from '../../parts/values.js'
export default function Page({ params }) {
  const late = new Promise((resolve) => setTimeout(resolve, 5))
  return <Suspense fallback="waits"><Slow kind={params.kind} late={late} /></Suspense>
}
function Slow({ kind, late }) { // place: /suspense
  use(late)
  throw values[kind]()
}
`,
  'server.ts': `import { values } from './parts/values.js'

export default async function server(app) { // place: /hook
  app.get('/route/:kind', async ({ params }) => { // place: /route
    throw values[params.kind]()
  })
  app.get('/sync/:kind', ({ params }) => { // place: /sync
    throw values[params.kind]()
  })
  app.get('/hook/:kind', async () => 'never')
  app.addHook('onRequest', async ({ url }) => {
    const [, kind] = /^\\/hook\\/(.*)$/.exec(url) ?? []
    if (kind) throw values[kind]()
  })
  app.get('/timer/:kind', async ({ params }) => {
    setTimeout(() => { // place: /timer
      throw values[params.kind]()
    }, 5)
    return 'soon'
  })
}
`,
}
for (const [path, name] of Object.entries({
  arrow: 'Arrow',
  class: 'Classy',
  memo: 'Memo',
  nameless: 'Nameless',
  forward: 'Forward',
  both: 'Both',
  lazy: 'Lazy',
  imported: 'Imported',
  inner: 'Outer',
  named: 'Named',
}))
  STACKLESS_SITE[`pages/${path}/[kind].tsx`] = shown(name, `<${name} kind={params.kind} />`)

/** Returns the positions marked in the sources, by the beginnings of the paths that fail there. */
export const STACKLESS_PLACES: ReadonlyMap<string, string> = new Map(
  Object.entries(STACKLESS_SITE).flatMap(([file, source]) =>
    String(source)
      .split('\n')
      .flatMap((text, index) => {
        const path = / \/\/ place: (\S+)$/.exec(text)?.[1]
        return path === undefined ? [] : [[path, `${file}:${index + 1}`] as const]
      }),
  ),
)
