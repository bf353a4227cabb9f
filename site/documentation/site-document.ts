/** A document of the package as the site shows it. */
export interface SiteDocument {
  /** The path of the page below `/docs`: `guide/loads`. */
  path: string
  /** The path of the file in the repository: `docs/guide/loads.md`. That of a folder ends with a slash. */
  file: string
  title: string
  /** The first sentence. */
  description: string
  /** The text next to its title in a list of documents; null if no list has it. */
  about: string | null
  /** The group of the list of documents, or null for a file that is not Markdown. */
  group: string | null
  /** The title as HTML. */
  heading: string
  /**
   * The text below the title as HTML. Links to other documents begin with `docs:`, because the base of the site is known
   * only when it starts.
   */
  html: string
  /** The headings of the second level, and those of the third level unless there are many. */
  headings: readonly Heading[]
  /** The texts that a search finds. */
  sections: readonly Section[]
}

export interface Heading {
  id: string
  text: string
}

/** A heading with the text below it, up to the next heading, without markup. */
export interface Section extends Heading {
  /** 1 for the title of the document. */
  level: number
  body: string
}
