declare module '*.mdx' {
  export const frontmatter: unknown
  export const sections: readonly import('./content/export-sections.ts').Section[]
}
