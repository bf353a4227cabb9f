/// <reference lib="dom" />
// The position of Hydrant's elements in a head that React has rendered. Chromium's parser is the reference.

import { createElement, type ReactElement, type ReactNode } from 'react'
import t from 'tap'
import { loadRenderer } from '../../../src/server/context/react-renderer.ts'
import { DocumentSink, findHeadEnd } from '../../../src/server/render/document-sink.ts'
import { launchChromium } from '../../browser/chromium.ts'
import { buildApp } from '../../build-app.ts'
import { createRandom } from '../../shared/random.ts'
import { serve } from '../served.ts'

const ADDED = '<link id="added"/>'
const TRICKS = [
  ...['</head>', '</head><body>', '</HEAD >', '<head>', '</body></html>', '</body>', '</html>', '<body>'],
  ...[
    '<script>',
    '</script >',
    '<style>',
    '</style>',
    '<!--',
    '-->',
    '<!-->',
    '--',
    '<!--<script>',
    '<template>',
    '</template>',
  ],
  ...['<noscript>', '</noscript>', '<title>', '</title>', '<textarea>', '"', "'", '\\', '&lt;', 'é', '\n', ' ', 'text'],
]

const render = await loadRenderer('bun')

function renderWith(element: ReactElement): Promise<string> {
  return new Promise((resolve) => {
    const sink = new DocumentSink(
      (_isStreamed, head) => `${head ?? ''}${ADDED}`,
      Number.POSITIVE_INFINITY,
      () => resolve(sink.close()),
    )
    const rendering = render(element, { onError() {}, onShellReady: () => void rendering.pipe(sink) })
  })
}

/** A document with misleading text wherever React accepts text. */
function createDocument(seed: number): ReactElement {
  const random = createRandom(seed)
  const text = () => Array.from({ length: random.below(6) }, () => TRICKS[random.below(TRICKS.length)]).join('')
  const markup = (name: string, html: string) => createElement(name, { dangerouslySetInnerHTML: { __html: html } })
  const kinds: (() => ReactNode)[] = [
    // React escapes the end tags of these two elements in their text.
    () => createElement('script', { type: 'application/ld+json' }, text()),
    () => createElement('style', null, text()),
    () => createElement('style', { href: String(random.below(99)), precedence: 'x' }, text()),
    () => markup('script', text().replaceAll(/<(?=\/?script)/g, '<\\')),
    () => createElement('title', null, text()),
    () => createElement('meta', { name: 'description', content: text() }),
    () => createElement('link', { rel: 'x', href: `/${text()}` }),
    () => createElement('noscript', null, createElement('style', null, text().replaceAll('</noscript>', ''))),
    () =>
      markup(
        'template',
        `<p>${text().replaceAll(/<\/?(?:template|script|style|title|textarea|noscript)[ >]*|<!-->?/g, '')}</p>`,
      ),
  ]
  const some = (count: number) =>
    Array.from({ length: random.below(count) }, () => kinds[random.below(kinds.length)]?.())
  const head = random.below(5) === 0 ? null : createElement('head', null, ...some(5))
  const body =
    random.below(5) === 0
      ? createElement('main', null, text())
      : createElement('body', { title: text() }, ...some(4), text())
  return createElement('html', null, head, body)
}

t.test('is found whatever text the head contains', async (t) => {
  const { open } = await launchChromium(t)
  const { evaluate } = await open()
  const documents = await Promise.all(Array.from({ length: 1_500 }, (_, seed) => renderWith(createDocument(seed))))
  const wrong = await evaluate((documents) => {
    const isRight = (html: string) => {
      const { head } = new DOMParser().parseFromString(html, 'text/html')
      return head.lastElementChild?.id === 'added'
    }
    return documents.filter((html) => !isRight(html))
  }, documents)
  const hard = documents.filter((html) => html.indexOf('</head>') < html.indexOf(ADDED))
  t.ok(hard.length > 100, `${hard.length} of them have the letters before the tag`)
  t.strictSame(wrong.slice(0, 3), [])
})

t.test('is found by the rules of the parser', async (t) => {
  const found = [
    '<html><head>|</head><body></head>',
    '<html><head><script>"</head>"</script>|</head>',
    '<head><script><!-- <script> </script> </head> --></script>|</head>',
    '<head><script><!--> <script> </script>|</head>',
    '<head><script><!-- <script> --></script>|</head>',
    '<head><script><!-- </script>|</head> --></script></head>',
    '<head><SCRIPT>x</head></SCRIPT >|</head>',
    '<head><script>scripts</head></scripts></script>|</head>',
    '<head><!-- </head> -->|</head>',
    '<head><!-->|</head> -->',
    '<head><template><template></head></template><script></template></script></head></template>|</head>',
    '<head></template>|</head>',
    '<head><noscript><style></head></style></noscript>|</head>',
    '<head><header></header>|</head>',
  ]
  const absent = [
    '',
    '<p>',
    '<div><script>"</head>"</script></div>',
    '<head><script>',
    '<script></script><script ',
    '<!-- </head>',
    '<template></head>',
    '<style></head>',
  ]
  const isWrong = (html: string) => findHeadEnd(html.replace('|', '')) !== html.indexOf('|')
  t.strictSame([...found, ...absent].filter(isWrong), [])
})

t.test('data in the head stays unchanged, and the preloads are there', async (t) => {
  const { get } = await serve(t, await buildApp(t, 'streams'))
  const data = JSON.stringify({ name: 'x</head><body>' })
  for (const path of ['/whole', '/misleading', '/nowhere']) {
    const { body } = await get(path)
    t.equal(/<script type="application\/ld\+json">(.*?)<\/script>/.exec(body)?.[1], data, path)
    t.match(body, /<\/style><link rel="modulepreload"[^>]*\/>.*?<\/head><body>/, path)
  }
})
