/// The completions of all commands and options: a script for a shell, made of the manuals that `--help` prints.
struct Completions {
  /// A shell with programmable completion.
  enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  /// The kind of an option's value, by which a shell completes it.
  enum Value {
    case folder, path, other

    init(placeholder: String) {
      self =
        switch placeholder {
        case "DIR", "OUT": .folder
        case "FILE", "PATH": .path
        default: .other
        }
    }
  }

  let list: CommandList

  /// Returns the script for a shell.
  func script(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  /// The first words of commands with two words, in order: `model`, `state`.
  private var groups: [String] {
    var groups: [String] = []
    for manual in list.manuals {
      let words = manual.name.split(separator: " ")
      if words.count > 1, groups.last != String(words[0]) { groups.append(String(words[0])) }
    }
    return groups
  }

  /// The words that may come first, with their descriptions.
  private var firstWords: [(word: String, help: String)] {
    list.manuals.filter { !$0.name.contains(" ") }.map { ($0.name, $0.summary) }
      + groups.map { ($0, "A group of commands: \(members(of: $0).map(\.word).joined(separator: ", ")).") }
      + [("help", "Print the help of a command.")]
  }

  private func members(of group: String) -> [(word: String, help: String)] {
    list.manuals.filter { $0.name.hasPrefix("\(group) ") }
      .map { (String($0.name.dropFirst(group.count + 1)), $0.summary) }
  }

  /// The first sentence of a help text.
  private static func sentence(_ text: String) -> String {
    let line = text.replacing("\n", with: " ")
    return line.split(separator: ". ").first.map { $0.hasSuffix(".") ? String($0.dropLast()) : String($0) } ?? line
  }

  // MARK: - bash

  private var bash: String {
    func words(_ words: [(word: String, help: String)]) -> String { words.map(\.word).joined(separator: " ") }
    let groupCases = groups.map { "    \($0)) words=\"\(words(members(of: $0)))\" ;;" }
    let cases = list.manuals.map { manual in
      let options = manual.allOptions
      func named(_ kind: Value) -> String {
        options.filter { option in option.placeholder.map { Value(placeholder: $0) } == kind }
          .flatMap { [$0.name, $0.short].compactMap { $0 } }.joined(separator: " ")
      }
      return """
            "\(manual.name)")
              options="\(options.map(\.name).joined(separator: " "))"
              folders=" \(named(.folder)) " paths=" \(named(.path)) " others=" \(named(.other)) "
              ;;
        """
    }
    return """
      # Completions of postback \(Main.version) for bash, made by: postback completion bash
      _postback() {
        local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
        local words= options= folders= paths= others=
        case $command in
          \(groups.joined(separator: " | "))) ((COMP_CWORD > 2)) && command+=" ${COMP_WORDS[2]}" ;;
        esac
        ((COMP_CWORD == 1)) && command=
        # In --option=value bash takes the sign for a word.
        if [[ $word == = ]]; then word=; elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi
        case $command in
          "") words="\(words(firstWords)) \(CommandList.options.map(\.name).joined(separator: " "))" ;;
          help) words="\(words(firstWords))" ;;
      \(groupCases.joined(separator: "\n"))
      \(cases.joined(separator: "\n"))
        esac
        if [[ $words ]]; then
          mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
        elif [[ $others == *" $previous "* ]]; then
          COMPREPLY=()
        elif [[ $folders == *" $previous "* ]]; then
          compopt -o filenames
          mapfile -t COMPREPLY < <(compgen -d -- "$word")
        elif [[ $word == -* && $paths != *" $previous "* ]]; then
          mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
        else
          compopt -o filenames
          mapfile -t COMPREPLY < <(compgen -f -- "$word")
        fi
      }
      complete -F _postback postback
      """
  }

  // MARK: - zsh

  private var zsh: String {
    func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
    func escaped(_ text: String) -> String {
      ["\\", "[", "]", ":"].reduce(text) { $0.replacing($1, with: "\\\($1)") }
    }
    func described(_ words: [(word: String, help: String)]) -> String {
      words.map { quoted("\($0.word):\(escaped(Self.sentence($0.help)))") }.joined(separator: " ")
    }
    func argument(_ option: Option) -> String {
      let names = [option.short, option.name].compactMap { $0 }
      let help = "[\(escaped(Self.sentence(option.help)))]"
      let value = option.placeholder.map { value in
        let action =
          switch Value(placeholder: value) {
          case .folder: "_files -/"
          case .path: "_files"
          case .other: " "
          }
        return ":\(escaped(value)):\(action)"
      }
      return names.map { quoted("*\($0)\(help)\(value ?? "")") }.joined(separator: " ")
    }
    let groupCases = groups.map { group in
      """
          \(group))
            if (( CURRENT == 3 )); then words=(\(described(members(of: group)))); _describe command words; return; fi
            name+=" $given[3]"
            ;;
      """
    }
    let cases = list.manuals.map { manual in
      let arguments = manual.allOptions.map(argument) + ["'*:file:_files'"]
      return "    \(quoted(manual.name))) _arguments \(arguments.joined(separator: " \\\n      ")) ;;"
    }
    return """
      #compdef postback
      # Completions of postback \(Main.version) for zsh, made by: postback completion zsh
      _postback() {
        local -a given=("${words[@]}") first=(\(described(firstWords)) \
      \(described(CommandList.options.map { ($0.name, $0.help) })))
        if (( CURRENT == 2 )); then _describe command first; return; fi
        local name=$given[2]
        case $name in
          help) _describe command first; return ;;
      \(groupCases.joined(separator: "\n"))
        esac
        case $name in
      \(cases.joined(separator: "\n"))
        esac
      }
      if [[ $funcstack[1] == _postback ]]; then _postback "$@"; else compdef _postback postback; fi
      """
  }

  // MARK: - fish

  private var fish: String {
    func quoted(_ text: String) -> String {
      "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
    func words(_ words: [(word: String, help: String)], after given: String) -> [String] {
      words.map {
        "complete -c postback -n \(quoted("__postback_is \(given)")) -a \($0.word) -d \(quoted(Self.sentence($0.help)))"
      }
    }
    func option(_ option: Option, of command: String) -> String {
      let name = "-l \(option.name.dropFirst(2))" + (option.short.map { " -s \($0.dropFirst())" } ?? "")
      let value: String? = option.placeholder.map { value in
        switch Value(placeholder: value) {
        case .folder: " -x -a '(__fish_complete_directories)'"
        case .path: " -r -F"
        case .other: " -x"
        }
      }
      let condition = quoted("__postback_begins \(command)")
      return "complete -c postback -n \(condition) \(name)\(value ?? "") -d \(quoted(Self.sentence(option.help)))"
    }
    let lines =
      words(firstWords, after: "") + words(firstWords, after: "help")
      + CommandList.options.map {
        "complete -c postback -n '__postback_is ' -l \($0.name.dropFirst(2)) -d \(quoted(Self.sentence($0.help)))"
      }
      + groups.flatMap { words(members(of: $0), after: $0) }
      + list.manuals.flatMap { manual in
        ["complete -c postback -n \(quoted("__postback_begins \(manual.name)")) -F"]
          + manual.allOptions.map { option($0, of: manual.name) }
      }
    return """
      # Completions of postback \(Main.version) for fish, made by: postback completion fish
      function __postback_is
          set -l words (commandline -opc)
          test "$words[2..]" = "$argv"
      end
      function __postback_begins
          set -l words (commandline -opc)
          string match -q -- "$argv *" "$words[2..] "
      end
      complete -c postback -f
      \(lines.joined(separator: "\n"))
      """
  }
}
