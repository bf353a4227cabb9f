/** A text that must not be taken for tags. */
export const MISLEADING = 'x</head><body>'
