import { defineConfig } from 'hydrant'
import { createSectionExporter } from './content/export-sections.ts'

export default defineConfig({
  // Imports the packages here, so that only the build needs them.
  esbuild: async () => {
    const { default: mdx } = await import('@mdx-js/esbuild')
    const { default: readFrontmatter } = await import('remark-frontmatter')
    const { default: exportFrontmatter } = await import('remark-mdx-frontmatter')
    const { default: gfm } = await import('remark-gfm')
    const { default: slug } = await import('rehype-slug')
    const { default: highlight } = await import('rehype-highlight')
    const exportSections = await createSectionExporter()
    return {
      plugins: [
        mdx({
          providerImportSource: 'mdx-components',
          remarkPlugins: [readFrontmatter, exportFrontmatter, gfm],
          rehypePlugins: [slug, exportSections, highlight],
        }),
      ],
      alias: { 'mdx-components': './components/mdx-components.tsx' },
    }
  },
})
