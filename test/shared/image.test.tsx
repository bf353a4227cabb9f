import { renderToStaticMarkup } from 'react-dom/server'
import t from 'tap'
import { Image, type ImageProps, type ImportedImage } from '../../src/shared/tree/image.tsx'

const photo: ImportedImage = {
  ...{ src: '/photo.jpg', width: 600, height: 400 },
  sources: [
    { type: 'image/avif', srcSet: '/photo.avif 600w' },
    { type: 'image/webp', srcSet: '/photo.webp 600w' },
  ],
}

function render(props: Partial<ImageProps> = {}): string {
  return renderToStaticMarkup(<Image src={photo} alt="A photo" {...props} />)
}

t.test('renders a source for each format and the file with its size', async (t) => {
  t.equal(
    render(),
    '<picture>' +
      '<source type="image/avif" srcSet="/photo.avif 600w" sizes="(min-width: 600px) 600px, 100vw"/>' +
      '<source type="image/webp" srcSet="/photo.webp 600w" sizes="(min-width: 600px) 600px, 100vw"/>' +
      '<img loading="lazy" decoding="async" width="600" height="400" alt="A photo" src="/photo.jpg"/>' +
      '</picture>',
  )
})

t.test('renders the same elements for an image without copies', async (t) => {
  t.equal(
    render({ src: { ...photo, sources: [] }, alt: '' }),
    '<picture><img loading="lazy" decoding="async" width="600" height="400" alt="" src="/photo.jpg"/></picture>',
  )
})

t.test('keeps the proportions of the file when one side is given', async (t) => {
  t.match(render({ width: 150 }), /sizes="\(min-width: 150px\) 150px, 100vw".* width="150" height="100"/)
  t.match(render({ height: 100 }), /sizes="\(min-width: 150px\) 150px, 100vw".* width="150" height="100"/)
  t.match(render({ width: 50, height: 50 }), / width="50" height="50"/)
})

t.test('loads an image at once that is important or eager', async (t) => {
  t.match(render({ fetchPriority: 'high' }), '<img loading="eager" decoding="async" fetchPriority="high"')
  t.match(render({ loading: 'eager' }), '<img loading="eager"')
  t.match(render({ fetchPriority: 'high', loading: 'lazy' }), '<img loading="lazy"')
})

t.test('passes other attributes to the image, and sizes to the sources', async (t) => {
  const html = render({ sizes: '50vw', className: 'cover', decoding: 'sync' })
  t.match(html, 'srcSet="/photo.avif 600w" sizes="50vw"')
  t.match(html, '<img loading="lazy" decoding="sync" class="cover" width')
})

t.test('names the import that is missing when the source is a URL', async (t) => {
  // The types refuse it; a site in JavaScript has none.
  const props = JSON.parse('{ "src": "/photo.jpg" }')
  t.throws(() => render(props), {
    name: 'TypeError',
    message: '<Image> expects an image that is imported with "?image" as its src, not /photo.jpg',
  })
})
