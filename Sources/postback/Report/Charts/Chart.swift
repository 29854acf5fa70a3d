/// An SVG drawing. The origin of its coordinates is at the top left; the unit is a pixel.
///
/// Every element has a class. The page's style sheet defines the look of the classes, for light and dark screens and
/// for print.
struct Drawing {
  private var content: HTML = ""
  let width, height: Int

  init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

  enum Anchor: String {
    case start
    case middle
    case end
  }

  mutating func text(_ text: String, x: Double, y: Double, _ anchor: Anchor = .start, _ style: Style = .label) {
    content += """
      <text x="\(Self.number(x))" y="\(Self.number(y))" text-anchor="\(anchor.rawValue)" class="\(style.rawValue)">\(text)</text>
      """
  }

  /// The class of an element in the page's style sheet.
  enum Style: String {
    case label
    case value
    case heading
    case axis
    case grid
    case bar
    case bad
    case track
    case whisker
    case dot
    case fine
    case coarse
    case none
    case mean
  }

  /// Draws a vertical line for a mean, with its label above it.
  mutating func mean(x: Double, bottom: Double, _ label: String) {
    line(x, 14, x, bottom, .mean)
    text(label, x: min(Swift.max(x, 60), 700), y: 11, .middle, .mean)
  }

  /// Draws a rectangle; `title` is shown while the pointer is over it.
  mutating func bar(x: Double, y: Double, width: Double, height: Double, _ style: Style, title: String? = nil) {
    let title: HTML = title.map { "<title>\($0)</title>" } ?? ""
    content += """
      <rect x="\(Self.number(x))" y="\(Self.number(y))" width="\(Self.number(max(width, 0)))" \
      height="\(Self.number(max(height, 0)))" class="\(style.rawValue)">\(title)</rect>
      """
  }

  mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: Style) {
    content += """
      <line x1="\(Self.number(x1))" y1="\(Self.number(y1))" x2="\(Self.number(x2))" y2="\(Self.number(y2))" \
      class="\(style.rawValue)"/>
      """
  }

  mutating func dot(x: Double, y: Double) {
    content += "<circle cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\" r=\"4\" class=\"dot\"/>"
  }

  /// Returns the figure: the drawing, the `description`, which also serves readers who cannot see it, and the table
  /// `numbers`.
  ///
  /// With an `id` the page's script can draw it anew. A `wide` figure has a row of its own.
  func figure(
    _ title: String,
    id: String? = nil,
    isWide: Bool = false,
    description: String,
    numbers: HTML
  ) -> HTML {
    let id: HTML = id.map { " id=\"\($0)\"" } ?? ""
    let place: HTML = isWide ? " class=\"wide\"" : ""
    return """
      <figure\(id)\(place)><figcaption>\(title)</figcaption>
      <div class="scroll" tabindex="0" role="group" aria-label="Chart: \(title)"><svg viewBox="0 0 \(width) \(height)" role="img" \
      aria-label="\(title). \(description)">\(content)</svg></div>
      <p class="note">\(description)</p>
      <details><summary>Numbers</summary>\(numbers)</details></figure>
      """
  }

  /// The number, rounded to a tenth of a pixel.
  private static func number(_ value: Double) -> String {
    guard value.isFinite, value.magnitude < 1e9 else { return "0" }
    return "\((value * 10).rounded() / 10)"
  }
}

/// Round numbers along an axis from 0.
struct Ticks {
  /// The largest tick, which is at least the largest value.
  let end: Double
  /// All ticks, from 0.
  let values: [Double]

  /// Creates about `count` ticks from 0 to `largest`, in steps of 1, 2 or 5 times a power of ten; whole steps if `isWhole`.
  init(to largest: Double, count: Int = 4, isWhole: Bool = true) {
    let target = max(largest, isWhole ? 1 : 0.01) / Double(count)
    var power = 1.0
    while power * 10 <= target { power *= 10 }
    while power > target { power /= 10 }
    let step = [1.0, 2, 5, 10].map { $0 * power }.first { $0 >= target * 0.999_999 } ?? target
    let whole = isWhole ? max(step, 1) : step
    let steps = Int((max(largest, whole) / whole).rounded(.up))
    values = (0...steps).map { Double($0) * whole }
    end = values.last ?? 1
  }
}

/// The formats of numbers in a page.
enum Numbers {
  /// The number with a narrow, unbreakable space between groups of three digits.
  static func grouped(_ number: Int) -> String {
    let digits = String(number.magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "\u{202F}" }
      text.append(digit)
    }
    return (number < 0 ? "−" : "") + text
  }

  /// The number, rounded, with the unit k, M or G if it is large, to fit beside a tick.
  static func short(_ number: Double) -> String {
    for (unit, name) in [(1e9, "G"), (1e6, "M"), (1e3, "k")] where number >= unit {
      return plain((number / unit * 10).rounded() / 10) + name
    }
    return plain((number * 100).rounded() / 100)
  }

  private static func plain(_ number: Double) -> String {
    number.rounded() == number && number.magnitude < 1e15 ? "\(Int(number))" : "\(number)"
  }
}
