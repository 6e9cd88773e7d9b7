const STYLE = `text { font: 12px system-ui, sans-serif; fill: #1f2328 } .title { font-size: 16px; font-weight: 600 } .quiet { fill: #59636e }
.page { fill: #fff } .grid { stroke: #d1d9e0 } @media (prefers-color-scheme: dark) { text { fill: #f0f6fc } .quiet { fill: #9198a1 }
.page { fill: #0d1117 } .grid { stroke: #3d444d } }`;

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

export const textAt = (x: number, y: number, text: string, attributes = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${escapeXml(text)}</text>`;

interface Drawing {
  readonly width: number;
  readonly height: number;
  /** For those who do not see it. */
  readonly label: string;
  readonly title: string;
  readonly parts: readonly string[];
}

/** An SVG that follows the reader's light or dark preference. */
export const drawSvg = ({ width, height, label, title, parts }: Drawing): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">${escapeXml(label)}</title>
<style>${STYLE}</style>
<rect class="page" width="100%" height="100%" rx="8"/>
${textAt(24, 32, title, 'class="title"')}
${parts.join('\n')}
</svg>
`;
