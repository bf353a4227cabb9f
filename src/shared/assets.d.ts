/**
 * Types of the files that a page may import besides scripts: stylesheets, CSS modules and assets. To use them, add
 * `"types": ["hydrant/assets"]` to the `compilerOptions` of the site's tsconfig.json, or extend
 * `hydrant/tsconfig.json`.
 */

declare module '*.module.css' {
  /** The class names of the file: the key is the name in the file, the value is the name in the build. */
  const classes: Readonly<Record<string, string>>
  export default classes
}

declare module '*.css' {}

declare module '*.module.scss' {
  /** The class names of the file: the key is the name in the file, the value is the name in the build. */
  const classes: Readonly<Record<string, string>>
  export default classes
}

declare module '*.scss' {}

declare module '*.png' {
  /** The URL of the file. */
  const url: string
  export default url
}

declare module '*.jpg' {
  /** The URL of the file. */
  const url: string
  export default url
}

declare module '*.jpeg' {
  /** The URL of the file. */
  const url: string
  export default url
}

declare module '*.gif' {
  /** The URL of the file. */
  const url: string
  export default url
}

declare module '*.webp' {
  /** The URL of the file. */
  const url: string
  export default url
}

declare module '*.avif' {
  /** The URL of the file. */
  const url: string
  export default url
}

declare module '*.svg' {
  /** The URL of the file. */
  const url: string
  export default url
}

declare module '*.svg?component' {
  /**
   * A component that renders the image as an `<svg>` element in the document. Props are attributes of that element.
   * `title` is the name of the image for screen readers (none).
   */
  const Svg: (props: import('react').SVGProps<SVGSVGElement> & { title?: string }) => import('react').ReactElement
  export default Svg
}

declare module '*?image' {
  /** The URL and the size of the image, and copies in other formats: an `ImportedImage` of `hydrant/react`. */
  const image: {
    readonly src: string
    readonly width: number
    readonly height: number
    readonly sources: readonly { readonly type: string; readonly srcSet: string }[]
  }
  export default image
}

declare module '*.ico' {
  /** The URL of the file. */
  const url: string
  export default url
}

declare module '*.woff' {
  /** The URL of the file. */
  const url: string
  export default url
}

declare module '*.woff2' {
  /** The URL of the file. */
  const url: string
  export default url
}

declare module '*.ttf' {
  /** The URL of the file. */
  const url: string
  export default url
}

declare module '*.otf' {
  /** The URL of the file. */
  const url: string
  export default url
}

declare module '*.eot' {
  /** The URL of the file. */
  const url: string
  export default url
}

declare module '*.mp4' {
  /** The URL of the file. */
  const url: string
  export default url
}

declare module '*.webm' {
  /** The URL of the file. */
  const url: string
  export default url
}

declare module '*.mp3' {
  /** The URL of the file. */
  const url: string
  export default url
}

declare module '*.pdf' {
  /** The URL of the file. */
  const url: string
  export default url
}

declare module '*.txt' {
  /** The URL of the file. */
  const url: string
  export default url
}

declare module '*.wasm' {
  /** The URL of the file. */
  const url: string
  export default url
}
