/** Earlier paths below `/docs`, and those of the documents that have their contents now. */
export const moved: ReadonlyMap<string, string> = new Map([
  ['pages', 'guide/first-page'],
  ['loading', 'guide/loads'],
  ['forms', 'guide/forms'],
  ['styling', 'guide/styling'],
  ['server', 'app'],
  ['fastify', 'app'],
  ['links', 'navigation'],
  ['partly-static-pages', 'cache'],
  ['without-scripts', 'prerender'],
  ['tailwind', 'stylesheets'],
  ['images', 'assets'],
  ['workers', 'assets'],
  ['react-compiler', 'mdx'],
  ['tutorials/shop', 'examples/shop'],
  ['tutorials/docs-site', 'examples/docs-site'],
  ['tutorials/existing-app', 'examples/existing-app'],
])
