"""Writes all mutants of a source file into it, each behind a switch. Used by `mutants.py`.

A mutant is a row of `cargo mutants --list --json`:

    a < b      becomes    (if switch(7) { a == b } else if switch(8) { a > b } else { a < b })
"""

from collections import defaultdict

import tree_sitter_rust
from tree_sitter import Language, Parser

from switches import switch

PARSER = Parser(Language(tree_sitter_rust.language()))
OPERATIONS = ("binary_expression", "compound_assignment_expr", "unary_expression")

def is_constant(node):
    """True inside of what the compiler evaluates: a switch is not possible there."""
    while node:
        modifiers = [child.text for child in node.children if child.type == "function_modifiers"]
        if node.type in ("const_item", "static_item") or any(b"const" in text for text in modifiers):
            return True
        node = node.parent
    return False


class MutatedSource:
    """A file with its mutants."""

    def __init__(self, text, mutants):
        """`mutants` are pairs of a number and a row. `left_out` gets the numbers of those for which there is no switch."""
        self.source = text.encode()
        self.root = PARSER.parse(self.source).root_node
        self.lines = text.split("\n")
        # Numbers and replacements by node. A guard may be an operation with mutants of its own.
        self.at_node, self.guards = defaultdict(list), defaultdict(list)
        self.left_out = set()
        for number, mutant in mutants:
            node = self.node_of(mutant)
            if node is None or is_constant(node):
                self.left_out.add(number)
            else:
                nodes = self.guards if mutant["genre"] == "MatchArmGuard" else self.at_node
                nodes[node.id].append((number, mutant["replacement"]))

    def offset(self, at):
        """Returns the byte of a line and column, which count characters from 1."""
        before = [*self.lines[: at["line"] - 1], self.lines[at["line"] - 1][: at["column"] - 1]]
        return len("\n".join(before).encode())

    def node_of(self, mutant):
        """Returns the node that a mutant changes; None if it has another form than expected."""
        start, end = (self.offset(mutant["span"][edge]) for edge in ("start", "end"))
        node, genre = self.root.descendant_for_byte_range(start, end - 1), mutant["genre"]
        if genre in ("BinaryOperator", "UnaryOperator"):
            node = outward(node, OPERATIONS)
            operator = node and (node.child_by_field_name("operator") or node.children[0])
            return node if operator and operator.start_byte == start else None
        if genre == "FnValue":
            # All returns of such a function must have one type.
            if "impl " in mutant["function"]["return_type"]:
                return None
            return outward(node, ("block",), lambda block: block.parent.type == "function_item" and block.start_byte < start)
        if genre == "MatchArmGuard":
            node = outward(node, ("match_pattern",))
            node = node and node.child_by_field_name("condition")
        elif genre == "MatchArm":
            node = outward(node, ("match_arm",))
        elif genre == "StructField":
            node = outward(node, ("field_initializer", "shorthand_field_initializer"))
        return node if node and node.start_byte == start else None

    def text(self, start, end):
        return self.source[start:end].decode()

    def mutated(self):
        """Returns the source with all switches."""
        return self.text(0, self.root.start_byte) + self.render(self.root) + self.text(self.root.end_byte, len(self.source))

    def render(self, node):
        """Returns a node with the switches of it and of what is inside."""
        text = self.render_unguarded(node)
        for number, value in self.guards.get(node.id, []):
            text = f"{switch(number)} || ({text})" if value == "true" else f"!{switch(number)} && ({text})"
        return text

    def render_unguarded(self, node):
        mutants = self.at_node.get(node.id, [])
        if not mutants:
            return self.inside(node, node.start_byte)
        if node.type in OPERATIONS:
            return self.render_operation(node, mutants)
        if node.type == "match_arm":
            return self.render_arm(node, mutants[0][0])
        if node.type == "block":
            returns = " ".join(f"if {switch(number)} {{ return {value}; }}" for number, value in mutants)
            return f"{{ {returns} " + self.inside(node, node.start_byte + 1)
        return self.render_field(node, mutants[0][0])

    def inside(self, node, start):
        parts = []
        for child in node.children:
            if child.start_byte >= start:
                parts += [self.text(start, child.start_byte), self.render(child)]
                start = child.end_byte
        return "".join([*parts, self.text(start, node.end_byte)])

    def render_operation(self, node, mutants):
        branches = ""
        for number, operator in mutants:
            if node.type == "unary_expression":
                value = self.text(node.children[0].end_byte, node.end_byte)
            else:
                left, right = (node.child_by_field_name(side).text.decode() for side in ("left", "right"))
                value = f"{left} {operator} {right}"
            branches += f"if {switch(number)} {{ {value} }} else "
        return f"({branches}{{ {self.inside(node, node.start_byte)} }})"

    def render_arm(self, node, number):
        """An arm whose guard is false is as good as deleted."""
        pattern = node.child_by_field_name("pattern")
        guard = pattern.child_by_field_name("condition")
        if guard:
            head = self.text(pattern.start_byte, guard.start_byte) + f"!{switch(number)} && ({self.render(guard)})"
        else:
            head = f"{pattern.text.decode()} if !{switch(number)}"
        return head + self.inside(node, pattern.end_byte)

    def render_field(self, node, number):
        """A field that is deleted has the value of the base."""
        base = next(child for child in node.parent.children if child.type == "base_field_initializer")
        value = node.child_by_field_name("value")
        name = (node.child_by_field_name("field") or node.children[0]).text.decode()
        otherwise = self.render(value) if value else name
        return f"{name}: (if {switch(number)} {{ ({base.text.decode()[2:]}).{name} }} else {{ {otherwise} }})"


def outward(node, types, fits=lambda _: True):
    """Returns the smallest node around this one that has one of the types, and fits."""
    while node and not (node.type in types and fits(node)):
        node = node.parent
    return node
