import { join } from 'node:path'
import type { Test } from 'tap'
import { projectOf, type TypedSites, writeTypedSite, writeTypes } from './typed-site.ts'

const small = {
  'pages/layout.tsx': 'export default () => null\n',
  'pages/(shop)/products/layout.tsx': 'export default () => null\n',
  'pages/(shop)/products/[id].tsx': 'export default () => null\n',
  'pages/(shop)/products/[id].server.ts':
    "import type { ActionContext } from 'hydrant'\nexport const load = async () => ({ name: 'x', price: 5 })\nexport const action = ({ form }: ActionContext<'/products/[id]'>) => ({ sent: form.has('x') })\n",
  'pages/about.tsx': 'export default () => null\n',
  'urls.d.ts':
    "export {}\ndeclare module 'hydrant/react' {\n  interface Routes {\n    '/robots.txt': unknown\n  }\n}\n",
}

const pages = `"/" | "/about" | "/products/[id]"`
const links = `"/" | "/about" | "/products/[id]" | "/robots.txt"`
const layouts = `"/" | "/(shop)/products"`

/** Wrong code, and the message of the compiler. */
const mistakes: [code: string, message: string][] = [
  ["(ctx: LoadContext<'/no/[such]'>) => ctx", `Type '"/no/[such]"' does not satisfy the constraint '${pages}'.`],
  [
    "(ctx: ActionContext<'/product/[id]'>) => ctx",
    `Type '"/product/[id]"' does not satisfy the constraint '${pages}'.`,
  ],
  ["(props: PageProps<'/abuot'>) => props", `Type '"/abuot"' does not satisfy the constraint '${pages}'.`],
  ["(props: PageProps<'/robots.txt'>) => props", `Type '"/robots.txt"' does not satisfy the constraint '${pages}'.`],
  ["(props: LayoutProps<'/products'>) => props", `Type '"/products"' does not satisfy the constraint '${layouts}'.`],
  ["(ctx: LayoutLoadContext<'/about'>) => ctx", `Type '"/about"' does not satisfy the constraint '${layouts}'.`],
  [
    "({ params }: LoadContext<'/products/[id]'>) => params.ID",
    "Property 'ID' does not exist on type '{ id: string; }'. Did you mean 'id'?",
  ],
  [
    "({ params }: PageProps<'/products/[id]'>) => params.name",
    "Property 'name' does not exist on type '{ id: string; }'.",
  ],
  ["({ params }: LoadContext<'/about'>) => params.id", "Property 'id' does not exist on type '{}'."],
  ["({ form }: LoadContext<'/about'>) => form", `Property 'form' does not exist on type 'LoadContext<"/about">'.`],
  [
    "({ dat }: PageProps<'/products/[id]'>) => dat",
    `Property 'dat' does not exist on type 'PageProps<"/products/[id]">'.`,
  ],
  [
    "({ data }: PageProps<'/products/[id]'>) => data.nope",
    "Property 'nope' does not exist on type '{ name: string; price: number; }'.",
  ],
  ["({ data }: PageProps<'/about'>) => data.name", "'data' is possibly 'undefined'."],
  ["({ data }: LayoutProps<'/'>) => data.name", "'data' is possibly 'undefined'."],
  ["({ actionData }: PageProps<'/products/[id]'>) => actionData.sent", "'actionData' is possibly 'undefined'."],
  ['({ data }: PageProps) => data.name', "'data' is of type 'unknown'."],
  ["() => href('/abuot')", `Argument of type '"/abuot"' is not assignable to parameter of type '${links}'.`],
  ["() => href('/products/7')", `Argument of type '"/products/7"' is not assignable to parameter of type '${links}'.`],
  [
    "() => href('/product/[id]', { id: 7 })",
    `Argument of type '"/product/[id]"' is not assignable to parameter of type '${links}'.`,
  ],
  ["() => href('/products/[id]')", 'Expected 2-3 arguments, but got 1.'],
  [
    "() => href('/products/[id]', { ID: 7 })",
    `Object literal may only specify known properties, but 'ID' does not exist in type 'Readonly<HrefParams<"/products/[id]">>'. Did you mean to write 'id'?`,
  ],
  ["() => href('/products/[id]', { id: true })", "Type 'boolean' is not assignable to type 'string | number'."],
  [
    "() => useLayoutData('/products')",
    `Argument of type '"/products"' is not assignable to parameter of type '${layouts}'.`,
  ],
  ["() => useLayoutData('/').name", "Object is possibly 'undefined'."],
  ["() => useParams('/abuot')", `Argument of type '"/abuot"' is not assignable to parameter of type '${pages}'.`],
  ["() => useParams('/products/[id]').name", "Property 'name' does not exist on type '{ id: string; }'."],
  ["() => useRestoredState('tags', 0)[0].length", "Property 'length' does not exist on type 'number'."],
  [
    "() => useRestoredState('tags', () => 0)[1]('x')",
    "Argument of type 'string' is not assignable to parameter of type 'SetStateAction<number>'.",
  ],
  [
    "() => href('/about', { id: 7 })",
    "Object literal may only specify known properties, and 'id' does not exist in type 'NoParameters'.",
  ],
]

const head = `import type { ActionContext, LayoutLoadContext, LoadContext } from 'hydrant'
import { href, type LayoutProps, type PageProps, useLayoutData, useParams, useRestoredState } from 'hydrant/react'
export const uses = (_: [ActionContext, LayoutLoadContext, LoadContext, LayoutProps, PageProps]) => href('/')
`

const names = Array.from({ length: 60 }, (_, index) => `page-${index + 10}`)
const large = {
  ...Object.fromEntries(names.map((name) => [`pages/${name}.tsx`, 'export default () => null\n'])),
  'wrong.ts': "import type { PageProps } from 'hydrant/react'\nexport type Wrong = PageProps<'/page'>\n",
}

/** Prepares a site with mistakes, and one with many routes. */
export async function prepareMistakes(t: Test, folder: string): Promise<TypedSites> {
  const code = mistakes.map(([code], index) => `export const mistake${index} = ${code}\n`)
  const dirs = [
    writeTypedSite(join(folder, 'small'), { ...small, 'mistakes.ts': head + code.join('') }),
    writeTypedSite(join(folder, 'large'), large),
  ]
  for (const dir of dirs) await writeTypes(t, dir)
  return { projects: dirs.map(projectOf), test }
}

const test: TypedSites['test'] = (t, checked) => {
  t.test('each mistake is one error in one line', async (t) => {
    const first = head.split('\n').length
    for (const { name, errors } of checked) {
      t.strictSame(
        errors[0]?.map((line) => sortUnion(line.replace(/^mistakes\.ts\((\d+),\d+\): error TS\d+: /, '$1 '))),
        mistakes.map(([, message], index) => `${first + index} ${message}`),
        name,
      )
    }
  })

  t.test('of many routes, the error names a few', async (t) => {
    for (const { name, errors } of checked) {
      t.equal(errors[1]?.length, 1, name)
      t.match(
        errors[1]?.[0],
        /^wrong\.ts\(2,31\): error TS2344: Type '"\/page"' does not satisfy the constraint '"\/.* \d+ more \.\.\. \| "\/[^"]*"'\.$/,
      )
    }
  })
}

// TypeScript 5 lists the members of a union in the order in which it has read them.
function sortUnion(message: string): string {
  return message.replace(/"[^"]+"( \| "[^"]+")+/, (union) => union.split(' | ').sort().join(' | '))
}
