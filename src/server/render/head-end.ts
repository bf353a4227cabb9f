/** What may hide the end of an element: elements whose content is no markup, templates with markup of their own, comments. */
const MARKS =
  /<(?:\/(head|template)(?=[\s/>])|(script|style|noscript|template|title|textarea|iframe|noembed|noframes|xmp)(?=[\s/>])|!--)/gi

/**
 * Where the head of a document ends: before its `</head>`, or -1 for none. React escapes tags in text and attributes, but not
 * in inline scripts and styles, whose data may hold the same letters.
 */
export function findHeadEnd(html: string): number {
  // Most often it is the head of the document before: what is read of it is the same again.
  if (html.slice(0, last.head.length) === last.head) return last.at
  const at = findEnd(html, 0, 'head')
  // Joined and cut it is a text of its own, which does not hold the document.
  if (at !== -1) last = { head: ` ${html.slice(0, at)}${CLOSING}`.slice(1), at }
  return at
}

const CLOSING = '</head>'
/** Begins with no document. */
let last = { head: CLOSING, at: -1 }

/** Calls back for each comment that a parser finds outside of scripts, styles and templates. */
export function forEachComment(html: string, onComment: (at: number) => void) {
  findEnd(html, 0, null, onComment)
}

/** @param element Null for none: all of the text is read. */
function findEnd(
  html: string,
  start: number,
  element: 'head' | 'template' | null,
  onComment?: (at: number) => void,
): number {
  let at = start
  while (at !== -1) {
    MARKS.lastIndex = at
    const found = MARKS.exec(html)
    if (found === null) return -1
    const [mark, closed, opened] = found
    if (opened !== undefined) at = behindElement(html, found.index, opened.toLowerCase())
    else if (closed === undefined) {
      onComment?.(found.index)
      at = behindComment(html, found.index)
    } else if (closed.toLowerCase() === element) return found.index
    else at = found.index + mark.length
  }
  return -1
}

// `<!-->` and `<!--->` are whole comments.
function behindComment(html: string, start: number): number {
  const at = html.indexOf('-->', start + 2)
  return at === -1 ? -1 : at + 3
}

function behindElement(html: string, start: number, name: string): number {
  // React escapes what would end a tag in its attributes.
  const content = html.indexOf('>', start)
  if (content === -1) return -1
  const at =
    name === 'script'
      ? findScriptEnd(html, content)
      : name === 'template'
        ? findEnd(html, content, 'template')
        : findTextEnd(html, content, name)
  return at === -1 ? -1 : at + 1
}

function findTextEnd(html: string, content: number, name: string): number {
  const closing = new RegExp(`</${name}(?=[\\s/>])`, 'gi')
  closing.lastIndex = content
  return closing.exec(html)?.index ?? -1
}

/**
 * Behind `<!--`, a script within the text of a script does not end it
 * (https://html.spec.whatwg.org/multipage/parsing.html#script-data-double-escaped-state).
 */
function findScriptEnd(html: string, content: number): number {
  const marks = /<!--|-->|<(\/?)script(?=[\s/>])/gi
  marks.lastIndex = content
  let state: 'plain' | 'escaped' | 'double' = 'plain'
  for (let found = marks.exec(html); found; found = marks.exec(html)) {
    const [mark, slash] = found
    if (mark === '<!--') {
      if (state === 'plain') state = 'escaped'
      // Its dashes may be those of the end.
      marks.lastIndex = found.index + 2
    } else if (mark === '-->') state = 'plain'
    else if (slash === '/' && state !== 'double') return found.index
    else if (state !== 'plain') state = slash === '/' ? 'escaped' : 'double'
  }
  return -1
}
